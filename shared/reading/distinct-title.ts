import { basename, dirname, extname } from 'node:path/posix'
import type { Page } from './page/page.ts'

/**
 * The page with a title of its own, if many pages have the same: the heading that all of it is under, else the name of the file, with the
 * folder if the file has the name of the title. A README keeps the title of what it describes.
 */
export function withDistinctTitle(page: Page, path: string): Page {
  const { title, sections } = page
  if (title === undefined || /(?:^|\/)readme\.\w+$/i.test(path)) return page
  const top = sections[0]?.headings[0]
  if (top !== undefined && !isSame(top, title) && sections.every(({ headings }) => headings[0] === top))
    return { ...page, title: top, sections: sections.map((section) => ({ ...section, headings: section.headings.slice(1) })) }
  return { ...page, title: titleOfPath(path, title) }
}

function titleOfPath(path: string, title: string): string {
  const folder = named(basename(dirname(path)))
  const name = basename(path, extname(path))
  if (/^_?index$/i.test(name)) return folder === '' || isSame(folder, title) ? title : folder
  if (!isSame(named(name), title)) return named(name)
  return folder === '' ? title : `${folder}: ${title}`
}

function named(name: string): string {
  const words = name === '.' ? '' : name.replace(/[-_]+/g, ' ').trim()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

const isSame = (one: string, other: string): boolean => plain(one) === plain(other)
const plain = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '')
