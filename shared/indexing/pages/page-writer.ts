import { newHashes } from '../../reading/new-hashes.ts'
import { rowsBuilder } from '../../search/rows/pack-rows.ts'
import type { PackedChunks } from '../../search/rows/packed-chunks.ts'
import type { GenerationWriter } from '../../search/rows/snippet-store.ts'
import type { PageCounts } from '../../search/statistics/statistics.ts'
import { statisticsBuilder } from '../../search/statistics/statistics-builder.ts'
import type { IndexReport } from './index-report.ts'
import { packInThread } from './pack-in-thread.ts'
import type { OriginsWriter, PageOrigin } from './page-origins.ts'

/** A page in the order of writing. A chunk that has only its hash must not be the first with this hash. */
export type WrittenPage = {
  chunks: PackedChunks
  /** Absent only if no chunk is the first with its hash. */
  counts: PageCounts | undefined
  /** The result of `firsts` for each chunk. */
  isFirst: boolean[]
  /** Absent if the page must be read again by the next job. */
  origin: PageOrigin | undefined
}

export type PageWriter = {
  /** True for each chunk of a page that is the first with its hash. Call it once for each page, in the order of writing. */
  firsts(chunks: PackedChunks): boolean[]
  add(page: WrittenPage): Promise<void>
  finish(): Promise<void>
}

const batchRows = 500
const batchBytes = 4 * 1024 * 1024

/** Numbers the pages of a generation, omits copies, and sums the statistics and the report. */
export function pageWriter(
  writer: GenerationWriter,
  { origins, report, signal }: { origins: OriginsWriter | undefined; report: IndexReport; signal: AbortSignal },
): PageWriter {
  const statistics = statisticsBuilder()
  const isNew = newHashes()
  const waiting = rowsBuilder()
  const write = async () => {
    signal.throwIfAborted()
    await writer.add(waiting.take())
  }
  return {
    firsts: ({ hashes }) => hashes.map(isNew),
    async add({ chunks, counts, isFirst, origin }) {
      const fresh = chunks.hashes.flatMap((_, i) => (isFirst[i] ? [i] : []))
      // A page that is a copy is not in the statistics: it would make its words look common.
      const page = counts && fresh.length > 0 ? statistics.add(counts) : undefined
      for (const [place, chunk] of fresh.entries()) {
        if (page !== undefined) waiting.add(chunks, chunk, page, place)
        if (waiting.length >= batchRows || waiting.sizeBytes >= batchBytes) await write()
        report.snippets += 1
        report.codeSnippets += chunks.hasCode[chunk] as number
        report.tokens += chunks.tokens[chunk] as number
      }
      if (!origin || !origins) return
      const { stored: _, copies: __, ...rest } = origin
      const copies = chunks.hashes.flatMap((hash, i): [number, string][] => (isFirst[i] ? [] : [[i, hash]]))
      const stored = page === undefined ? {} : { stored: { page, rows: fresh.length } }
      await origins.add({ ...rest, ...stored, ...(copies.length > 0 && { copies }) }, page === undefined ? undefined : counts)
    },
    async finish() {
      await write()
      await writer.finish(await packInThread(statistics.total()), await origins?.finish())
    },
  }
}
