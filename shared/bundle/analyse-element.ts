import type { Skipped } from '../reading/discover/skipped.ts'
import type { WorkerPool } from '../reading/worker-pool.ts'
import { codeLanguages } from '../search/rows/code-languages.ts'
import { rowsBuilder } from '../search/rows/pack-rows.ts'
import { sectionsOf } from '../search/rows/packed-chunks.ts'
import type { PackedRows } from '../search/rows/snippet-store.ts'
import type { LibraryCounts } from '../search/statistics/statistics.ts'
import { statisticsBuilder } from '../search/statistics/statistics-builder.ts'
import { mapOrdered } from '../time/map-ordered.ts'
import { groupPages, type NumberedPage } from './group-pages.ts'
import type { PackedPage, PagesReply, PagesRequest } from './page-worker.ts'
import { readStagedSnippets, type SkippedPage } from './stage-element.ts'

/**
 * `done`, `codeSnippets`, `codeLanguage` and `tokens` are of all rows so far. `skipped` are the pages skipped since the previous batch, before these
 * rows. `restart`: a page whose rows an earlier run wrote is skipped now, so nothing of that run can be used.
 */
export type AnalysedBatch = {
  rows: PackedRows
  done: number
  codeSnippets: number
  codeLanguage: string | undefined
  tokens: number
  skipped: SkippedPage[]
  /** Flagged passages and masked secrets since the previous batch. */
  notes: Skipped[]
  restart: boolean
}
/** The output of an earlier run: its number of rows, and the pages that it skipped. */
export type Analysed = { rows: number; skipped: SkippedPage[] }
type Readers = Pick<WorkerPool<PagesRequest, PagesReply>, 'request'>

const batchRows = 500
const batchBytes = 4 * 1024 * 1024
const groupsInFlight = 2

/**
 * Staged snippets → rows, page by page, as a parse creates them. The order of rows is the same each time if
 * the same pages are skipped. Omits rows that an earlier run wrote. Returns the statistics.
 */
export async function* analyseElement(
  folder: string,
  earlier: Analysed,
  readers: Readers,
): AsyncGenerator<AnalysedBatch, LibraryCounts> {
  const statistics = statisticsBuilder()
  const languages = codeLanguages()
  const skippedBefore = new Map(earlier.skipped.map((each) => [each.number, each]))
  const batch = rowsBuilder()
  let skipped: SkippedPage[] = []
  let notes: Skipped[] = []
  let [done, codeSnippets, tokens] = [0, 0, 0]
  let restart = false
  const take = () => {
    const taken = { rows: batch.take(), done, codeSnippets, codeLanguage: languages.main(), tokens, skipped, notes, restart }
    skipped = []
    notes = []
    return taken
  }
  const read = (group: NumberedPage[]) => readGroup(readers, group, skippedBefore)
  for await (const [, pages] of mapOrdered(groupPages(readStagedSnippets(folder)), groupsInFlight, read)) {
    for (const page of pages) {
      if ('reason' in page) {
        // It must be stored as skipped before any row after it is written.
        if (batch.length > 0) yield take()
        skipped.push(page)
        restart = done < earlier.rows && !skippedBefore.has(page.number)
        if (restart) yield take()
        continue
      }
      const { chunks, counts } = page
      notes.push(...page.notes)
      const number = statistics.add(counts, sectionsOf(chunks))
      languages.add(chunks.codeChars)
      for (const [place, hash] of chunks.hashes.entries()) {
        done += 1
        tokens += chunks.tokens[place] as number
        codeSnippets += chunks.hasCode[place] as number
        if (done > earlier.rows) batch.add(chunks, place, number, statistics.isCopy(number, hash))
        if (batch.length >= batchRows || batch.sizeBytes >= batchBytes) yield take()
      }
    }
  }
  yield take()
  return statistics.total()
}

/** If a group exceeds a limit, each of its pages is read separately with the full limits. */
async function readGroup(
  readers: Readers,
  group: NumberedPage[],
  skippedBefore: Map<number, SkippedPage>,
): Promise<(PackedPage | SkippedPage)[]> {
  const wanted = group.filter(({ number }) => !skippedBefore.has(number))
  const answer = wanted.length > 1 ? await readers.request(wanted) : { pages: [] }
  const readPages = 'pages' in answer ? answer.pages : []
  const outcomes = new Map(wanted.map(({ number }, i) => [number, readPages[i]]))
  const results: (PackedPage | SkippedPage)[] = []
  for (const page of group) {
    results.push(skippedBefore.get(page.number) ?? outcomes.get(page.number) ?? (await readSeparately(readers, page)))
  }
  return results
}

async function readSeparately(readers: Readers, page: NumberedPage): Promise<PackedPage | SkippedPage> {
  const answer = await readers.request([page])
  const [read] = 'pages' in answer ? answer.pages : []
  if (read) return read
  const [first] = page.snippets
  const path = page.path || (first?.url ?? first?.id ?? '')
  return { number: page.number, path, reason: 'skipped' in answer ? answer.skipped : 'its parser gave no answer' }
}
