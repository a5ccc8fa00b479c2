import { AppError } from '../../errors.ts'
import type { LibraryId } from '../../library.ts'
import { excerpt } from '../../text/excerpt.ts'
import { pluralize } from '../../text/figures.ts'
import { oneLine } from '../../text/one-line.ts'
import { versionText } from '../../text/version-text.ts'
import type { StoredPage } from '../rows/snippet-store.ts'
import { type PagesPorts, pageName, servedPages } from './served-pages.ts'

type OutlinePage = { path: string; title: string; url: string; snippets: number; tokens: number }
type OutlineFolder = { path: string; pages: number; tokens: number }

/** The pages of a library or of one of its folders. `folders` are those whose pages are not listed, because there are too many. */
export type Outline = {
  library: string
  title: string
  version?: string
  commitDate?: string
  /** Absent for the whole library. */
  folder?: string
  total: { pages: number; snippets: number; tokens: number }
  pages: OutlinePage[]
  folders: OutlineFolder[]
  /** The number of pages and folders beyond the limit. */
  omitted: number
}

const maxListed = 200

/**
 * Lists all pages if they are few, else the pages directly in the folder and its subfolders with their totals. Throws library_not_found,
 * tag_not_found, not_found for a folder without pages.
 */
export async function listOutline(
  ports: PagesPorts,
  { libraryId, folder }: { libraryId: LibraryId; folder?: string | undefined },
): Promise<Outline> {
  const { served, pages } = await servedPages(ports, libraryId)
  const { library, ref, commitDate } = served
  const wanted = (folder ?? '')
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .join('/')
  const inside = pagesIn(pages, wanted)
  if (inside.length === 0) throw noFolder(pages, wanted)
  const isFew = inside.length <= maxListed || !isIn(inside[0], wanted)
  const { listed, folders } = isFew ? { listed: inside, folders: [] } : collapsed(inside, wanted)
  const shownFolders = folders.slice(0, maxListed)
  const shownPages = listed.slice(0, maxListed - shownFolders.length)
  return {
    library: library.id,
    title: library.title,
    ...(ref !== '' && { version: ref }),
    ...(commitDate && { commitDate }),
    ...(wanted !== '' && { folder: wanted }),
    total: { pages: inside.length, snippets: sumOf(inside, 'snippets'), tokens: sumOf(inside, 'tokens') },
    pages: shownPages.map(({ page, path, title, url, snippets, tokens }) => ({
      ...{ path: pageName({ page, path }), title, url, snippets, tokens },
    })),
    folders: shownFolders,
    omitted: folders.length - shownFolders.length + listed.length - shownPages.length,
  }
}

/** The pages in a folder; of a folder that has only text for pages elsewhere, those pages. */
function pagesIn(pages: StoredPage[], folder: string): StoredPage[] {
  const inside = pages.filter((page) => isIn(page, folder))
  if (inside.length > 0) return inside
  return pages.filter(({ includes }) => includes?.some((path) => path.startsWith(`${folder}/`)))
}

const isIn = (page: StoredPage | undefined, folder: string): boolean =>
  folder === '' || page?.path.startsWith(`${folder}/`) === true

/** The outline as text for a model: a line per folder and page, with tokens. */
export function outlineText({ library, title, folder, total, pages, folders, omitted, ...content }: Outline): string {
  const version = versionText(content)
  const lines = [
    `${folder === undefined ? 'Pages' : `Pages in ${oneLine(folder)}/`} of ${oneLine(title)} (${library}${version === '' ? '' : `, ${oneLine(version)}`}): ${pluralize(total.pages, 'page')}, ${total.tokens} tokens`,
    '',
    ...folders.map(({ path, ...sums }) => `- ${oneLine(path)}/: ${pluralize(sums.pages, 'page')}, ${sums.tokens} tokens`),
    ...pages.map((page) => `- ${oneLine(page.path)}: ${oneLine(page.title)} (${page.tokens} tokens)`),
  ]
  const rest = omitted > 0 ? [`- and ${omitted} more; ask for a folder`] : []
  return [...lines, ...rest].join('\n')
}

/** Descends into a folder that holds only one other. */
function collapsed(pages: StoredPage[], folder: string): { listed: StoredPage[]; folders: OutlineFolder[] } {
  const prefix = folder === '' ? '' : `${folder}/`
  const listed: StoredPage[] = []
  const byFolder = new Map<string, StoredPage[]>()
  for (const page of pages) {
    const end = page.path.indexOf('/', prefix.length)
    if (end < 0) listed.push(page)
    else {
      const path = page.path.slice(0, end)
      const inside = byFolder.get(path)
      if (inside) inside.push(page)
      else byFolder.set(path, [page])
    }
  }
  const [only, ...others] = byFolder
  if (listed.length === 0 && only && others.length === 0) return collapsed(pages, only[0])
  const folders = [...byFolder].map(([path, inside]) => ({ path, pages: inside.length, tokens: sumOf(inside, 'tokens') }))
  return { listed, folders }
}

const sumOf = (pages: StoredPage[], field: 'snippets' | 'tokens'): number => pages.reduce((sum, page) => sum + page[field], 0)

function noFolder(pages: StoredPage[], folder: string): AppError {
  const top = [...new Set(pages.flatMap(({ path }) => (path.includes('/') ? [path.slice(0, path.indexOf('/'))] : [])))]
  const advice = top.length > 0 ? `Its folders: ${top.slice(0, 20).join(', ')}.` : 'It has no folders.'
  return new AppError('not_found', `The library has no pages in ${JSON.stringify(excerpt(folder, 200))}. ${advice}`)
}
