import type { StoredSnippet } from '../../../shared/search/rows/snippet-store.ts'
import { pagePathOf, pageTitleOf } from '../../../shared/snippet.ts'
import type { IndexedChunk } from './indexed-rows.ts'

/** A stored chunk becomes a row of the text index. The chunks of a generation must come in its order. */
export function chunkReader(library: string): (snippet: StoredSnippet) => IndexedChunk {
  let page = -1
  let section = -1
  return (snippet) => {
    const startsPage = snippet.page !== page
    const startsSection = startsPage || snippet.section !== section
    page = snippet.page
    section = snippet.section
    const path = pagePathOf(snippet) || `~${snippet.page}`
    const title = pageTitleOf(snippet)
    const headings = snippet.breadcrumb.slice(1)
    return {
      library,
      page: startsPage ? `${title}\n${path}` : '',
      // Only its page is found by what may instruct an agent.
      heading: startsSection && !snippet.flag ? (headings.at(-1) ?? '') : '',
      content: snippet.flag ? '' : snippet.content,
      path,
      title,
      section: snippet.flag ? '' : headings.join(' > '),
    }
  }
}
