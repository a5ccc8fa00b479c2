import { basename, dirname, extname } from 'node:path/posix'
import type { Page } from './page/page.ts'

/**
 * The page with a title of its own, if it is the one that many pages have: the heading that all of it is under, else the title with the name of the file,
 * or of its folder if the file has the name of the title. A README keeps the title of what it describes.
 */
export function withDistinctTitle(page: Page, path: string, repeated: string): Page {
  const { title, sections } = page
  if (title === undefined || !isSame(title, repeated) || /(?:^|\/)readme\.\w+$/i.test(path)) return page
  const top = sections[0]?.headings[0]
  if (top !== undefined && !isSame(top, title) && sections.every(({ headings }) => headings[0] === top))
    return { ...page, title: top, sections: sections.map((section) => ({ ...section, headings: section.headings.slice(1) })) }
  const name = nameOf(path, title)
  return name === '' || isSame(name, title) ? page : { ...page, title: `${title}: ${name}` }
}

function nameOf(path: string, title: string): string {
  const name = basename(path, extname(path))
  return /^_?index$/i.test(name) || isSame(name, title) ? named(basename(dirname(path))) : named(name)
}

function named(name: string): string {
  const words = name === '.' ? '' : name.replace(/[-_]+/g, ' ').trim()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

const isSame = (one: string, other: string): boolean => plain(one) === plain(other)
const plain = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '')
