import { AppError } from '../../errors.ts'
import type { LibraryId } from '../../library.ts'
import { excerpt } from '../../text/excerpt.ts'
import { addressWithoutLine, fileOfAddress } from '../../text/file-of-address.ts'
import { similarNames } from '../../text/similar-names.ts'
import type { Catalog, ServedVersion } from '../libraries/catalog.ts'
import type { SnippetStore, StoredPage } from '../rows/snippet-store.ts'

export type PagesPorts = { catalog: Pick<Catalog, 'served'>; snippets: Pick<SnippetStore, 'pages' | 'pageSnippets'> }

export type ServedPages = { served: ServedVersion; pages: StoredPage[] }

/** The pages of a library in the order of its repository. Throws library_not_found, tag_not_found, not_found. */
export async function servedPages({ catalog, snippets }: PagesPorts, id: LibraryId): Promise<ServedPages> {
  const served = await catalog.served(id)
  const pages = await snippets.pages(served.generation)
  if (!pages) throw new AppError('not_found', 'This content was replaced or removed while it was being read. Ask again.')
  return { served, pages }
}

/** The name of a page in lists: its path; for a page of a bundle without paths, `~` and its number. */
export const pageName = ({ path, page }: Pick<StoredPage, 'path' | 'page'>): string => path || `~${page}`

/** The page at a path, else the first page that includes the file at the path. */
export const pageAt = (pages: StoredPage[], path: string): StoredPage | undefined =>
  pages.find((page) => pageName(page) === path) ?? pages.find(({ includes }) => includes?.includes(path))

/** The pages with a text in their path, their title or the path of a file that they include. */
export function matchingPages(pages: StoredPage[], text: string): StoredPage[] {
  const wanted = text.toLowerCase()
  return pages.filter(({ path, title, includes = [] }) =>
    [path, title, ...includes].some((each) => each.toLowerCase().includes(wanted)),
  )
}

/** The page with a path or address, which may be that of a file that it includes. Throws not_found, with similar paths. */
export function findPage(pages: StoredPage[], wanted: string): StoredPage {
  const path = wanted.replace(/#.*$/s, '').replace(/^\.?\//, '')
  const address = addressWithoutLine(wanted)
  const page = pages.find(({ url }) => url === address) ?? pageAt(pages, fileOfAddress(address) ?? path)
  if (page) return page
  const similar = similarNames(path, pages.map(pageName).slice(0, maxCompared))
  const advice = similar.length > 0 ? `Similar paths: ${similar.join(', ')}.` : 'List its pages for their paths.'
  throw new AppError('not_found', `The library has no page ${JSON.stringify(excerpt(wanted, 200))}. ${advice}`)
}

const maxCompared = 5_000
