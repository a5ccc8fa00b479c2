import { analyseSnippets, type PageSnippet } from '../ingest/analyse-page.ts'
import { newHashes } from '../ingest/new-hashes.ts'
import type { SnippetRow } from '../search/snippet-store.ts'
import { packStatistics, statisticsBuilder } from '../search/statistics.ts'
import { isCode, proseOf } from '../snippet.ts'
import { type BundleSnippet, snippetFrom } from './bundle-snippet.ts'
import { stagedSnippets } from './staged-element.ts'

/** `done`, `codeSnippets` and `tokens` count all rows so far. */
export type AnalysedBatch = { rows: SnippetRow[]; done: number; codeSnippets: number; tokens: number }

const batchRows = 500
const batchCharacters = 2 * 1024 * 1024
/** No page of ours is larger. One that is becomes several. */
const mostPageSnippets = 20_000
const mostPageCharacters = 8 * 1024 * 1024

/**
 * Staged snippets → rows, page by page, as a parse makes them of a repository; what is there already is left out. Rows come in the same
 * order each time; of the first `skip` none is given. Returns the statistics, for `readStatistics`.
 */
export function* analyseElement(folder: string, skip: number): Generator<AnalysedBatch, Uint8Array> {
  const statistics = statisticsBuilder()
  const isNew = newHashes()
  let batch: SnippetRow[] = []
  let [characters, done, codeSnippets, tokens] = [0, 0, 0, 0]
  const take = () => {
    const taken = { rows: batch, done, codeSnippets, tokens }
    batch = []
    characters = 0
    return taken
  }
  for (const { path, snippets } of pagesOf(stagedSnippets(folder))) {
    const fresh = snippets.filter(({ hash }) => isNew(hash))
    if (fresh.length === 0) continue
    const { units, counts } = analyseSnippets(fresh, path)
    const page = statistics.add(counts)
    for (const [i, unit] of units.entries()) {
      done += 1
      tokens += unit.tokens
      if (isCode(unit)) codeSnippets += 1
      if (done > skip) {
        batch.push({ ...unit, id: `${page}-${i}`, page })
        characters += unit.content.length + unit.terms.length
      }
      if (batch.length >= batchRows || characters >= batchCharacters) yield take()
    }
  }
  yield take()
  return packStatistics(statistics.total())
}

type Page = { path: string; snippets: PageSnippet[] }

/** Snippets that follow each other and share a page, as their number says, else the address that they come from. */
function* pagesOf(snippets: Iterable<BundleSnippet>): Generator<Page> {
  let page: Page | undefined
  let [open, characters] = ['', 0]
  for (const snippet of snippets) {
    const key = pageKey(snippet)
    const isFull = page && (page.snippets.length >= mostPageSnippets || characters >= mostPageCharacters)
    if (page && (key === '' || key !== open || isFull)) {
      yield page
      page = undefined
    }
    const { id: _, ...from } = snippetFrom(snippet)
    if (!page) {
      page = { path: from.path, snippets: [] }
      characters = 0
    }
    open = key
    characters += from.content.length
    page.snippets.push({ ...from, prose: proseIn(from), section: snippet.section ?? page.snippets.length })
  }
  if (page) yield page
}

/** '' where nothing tells of a page. */
const pageKey = ({ page, url, id }: BundleSnippet): string => (page === undefined ? (url ?? id).replace(/#.*$/s, '') : `#${page}`)

/** What carries no code is told in words whatever its form. */
const proseIn = (snippet: Omit<PageSnippet, 'prose' | 'section'>): string =>
  snippet.code.length > 0 ? proseOf(snippet) : snippet.content
