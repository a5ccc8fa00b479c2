import type { BundleSnippet } from './bundle-snippet.ts'
import type { BundlePage } from './read-page.ts'

/** A page with its place in its library, from 0. */
export type NumberedPage = BundlePage & { number: number }

/** No page of ours is larger. One that is becomes several. */
const maxPageSnippets = 20_000
const maxPageCharacters = 8 * 1024 * 1024
/** Small pages travel to their reader together. */
const maxGroupPages = 100
const maxGroupCharacters = 256 * 1024

/** Pages in groups that are worth a message. */
export function* groupPages(snippets: Iterable<BundleSnippet>): Generator<NumberedPage[]> {
  let group: NumberedPage[] = []
  let characters = 0
  for (const { page, size } of pagesOf(snippets)) {
    if (group.length > 0 && (group.length >= maxGroupPages || characters + size > maxGroupCharacters)) {
      yield group
      group = []
      characters = 0
    }
    group.push(page)
    characters += size
  }
  if (group.length > 0) yield group
}

/** Snippets that follow each other and share a page, as their number says, else the address that they come from. */
function* pagesOf(snippets: Iterable<BundleSnippet>): Generator<{ page: NumberedPage; size: number }> {
  let page: NumberedPage | undefined
  let [open, size, number] = ['', 0, 0]
  for (const snippet of snippets) {
    const key = pageKey(snippet)
    const isFull = page && (page.snippets.length >= maxPageSnippets || size >= maxPageCharacters)
    if (page && (key === '' || key !== open || isFull)) {
      yield { page, size }
      page = undefined
    }
    if (!page) {
      page = { path: snippet.path ?? '', snippets: [], number: number++ }
      size = 0
    }
    open = key
    size += sizeOf(snippet)
    page.snippets.push(snippet)
  }
  if (page) yield { page, size }
}

/** '' where nothing tells of a page. */
const pageKey = ({ page, url, id }: BundleSnippet): string => (page === undefined ? (url ?? id).replace(/#.*$/s, '') : `#${page}`)

function sizeOf(snippet: BundleSnippet): number {
  const { content = '' } = snippet
  if (!('codeList' in snippet)) return content.length
  return snippet.codeList.reduce((sum, { code }) => sum + code.length, content.length + snippet.description.length)
}
