import { addressWithoutLine } from '../text/file-of-address.ts'
import type { BundleSnippet } from './bundle-snippet.ts'
import type { BundlePage } from './read-page.ts'

/** A page with its position in the library, from 0. */
export type NumberedPage = BundlePage & { number: number }

/** Parsed pages are never larger. A larger page is divided. */
const maxPageSnippets = 20_000
const maxPageCharacters = 8 * 1024 * 1024
/** Small pages are sent to the reader together. */
const maxGroupPages = 100
const maxGroupCharacters = 256 * 1024

/** Groups pages into messages for the reader. */
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

/** Divides snippets into pages: adjacent snippets with the same page number, else with the same source address. */
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
      page = { path: snippet.includedBy ?? snippet.path ?? '', snippets: [], number: number++ }
      size = 0
    }
    open = key
    size += sizeOf(snippet)
    page.snippets.push(snippet)
  }
  if (page) yield { page, size }
}

/** '' if nothing identifies a page. */
const pageKey = ({ page, url, id }: BundleSnippet): string => (page === undefined ? addressWithoutLine(url ?? id) : `#${page}`)

function sizeOf(snippet: BundleSnippet): number {
  const { content = '' } = snippet
  if (!('codeList' in snippet)) return content.length
  return snippet.codeList.reduce((sum, { code }) => sum + code.length, content.length + snippet.description.length)
}
