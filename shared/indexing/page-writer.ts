import type { AnalysedUnit } from '../reading/analyse-page.ts'
import { newHashes } from '../reading/new-hashes.ts'
import type { GenerationWriter, SnippetRow } from '../search/snippet-store.ts'
import type { PageCounts } from '../search/statistics.ts'
import { statisticsBuilder } from '../search/statistics-builder.ts'
import { isCode } from '../snippet.ts'
import type { IndexReport } from './index-report.ts'
import { packInThread } from './pack-in-thread.ts'
import type { OriginsWriter, PageOrigin } from './page-origins.ts'

/** A page in the order of writing. A unit that has only its hash must not be the first with this hash. */
export type WrittenPage = {
  units: (AnalysedUnit | { hash: string })[]
  /** Absent only if no unit is the first with its hash. */
  counts: PageCounts | undefined
  /** Of each unit, from `firsts`. */
  isFirst: boolean[]
  /** Absent if the page must be read again by the next job. */
  origin: PageOrigin | undefined
}

export type PageWriter = {
  /** Which of the units of a page are the first with their hash. Call it once for each page, in the order of writing. */
  firsts(units: { hash: string }[]): boolean[]
  add(page: WrittenPage): Promise<void>
  finish(): Promise<void>
}

const batchRows = 500

/** Numbers the pages of a generation, leaves out copies, and sums the statistics and the report. */
export function pageWriter(
  writer: GenerationWriter,
  { origins, report, signal }: { origins: OriginsWriter | undefined; report: IndexReport; signal: AbortSignal },
): PageWriter {
  const statistics = statisticsBuilder()
  const isNew = newHashes()
  return {
    firsts: (units) => units.map(({ hash }) => isNew(hash)),
    async add({ units, counts, isFirst, origin }) {
      const fresh = units.filter((_, i) => isFirst[i]) as AnalysedUnit[]
      // A page that is a copy is left out of the statistics: it would make its words look common.
      const page = counts && fresh.length > 0 ? statistics.add(counts) : undefined
      const rows = page === undefined ? [] : toRows(fresh, page)
      for (let at = 0; at < rows.length; at += batchRows) {
        signal.throwIfAborted()
        await writer.add(rows.slice(at, at + batchRows))
      }
      report.snippets += fresh.length
      report.codeSnippets += fresh.filter(isCode).length
      report.tokens += fresh.reduce((sum, unit) => sum + unit.tokens, 0)
      if (!origin || !origins) return
      const { stored: _, copies: __, ...rest } = origin
      const copies = units.flatMap(({ hash }, i): [number, string][] => (isFirst[i] ? [] : [[i, hash]]))
      const stored = page === undefined ? {} : { stored: { page, rows: rows.length } }
      await origins.add({ ...rest, ...stored, ...(copies.length > 0 && { copies }) }, page === undefined ? undefined : counts)
    },
    finish: async () => writer.finish(await packInThread(statistics.total()), await origins?.finish()),
  }
}

const toRows = (units: AnalysedUnit[], page: number): SnippetRow[] =>
  units.map((unit, i) => ({ ...unit, id: `${page}-${i}`, page }))
