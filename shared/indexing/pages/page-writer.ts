import { codeLanguages } from '../../search/rows/code-languages.ts'
import { rowsBuilder } from '../../search/rows/pack-rows.ts'
import { type PackedChunks, sectionsOf } from '../../search/rows/packed-chunks.ts'
import type { GenerationWriter } from '../../search/rows/snippet-store.ts'
import type { PageCounts } from '../../search/statistics/statistics.ts'
import { statisticsBuilder } from '../../search/statistics/statistics-builder.ts'
import type { IndexReport } from './index-report.ts'
import { packInThread } from './pack-in-thread.ts'
import type { OriginsWriter, PageOrigin } from './page-origins.ts'

export type WrittenPage = {
  chunks: PackedChunks
  counts: PageCounts
  /** Absent if the page must be read again by the next job. */
  origin: PageOrigin | undefined
}

export type PageWriter = {
  /** Call it in the order of pages. */
  add(page: WrittenPage): Promise<void>
  finish(): Promise<void>
}

const batchRows = 500
const batchBytes = 4 * 1024 * 1024

/** Numbers the pages of a generation, and sums the statistics and the report. */
export function pageWriter(
  writer: GenerationWriter,
  { origins, report, signal }: { origins: OriginsWriter | undefined; report: IndexReport; signal: AbortSignal },
): PageWriter {
  const statistics = statisticsBuilder()
  const languages = codeLanguages()
  const waiting = rowsBuilder()
  const write = async () => {
    signal.throwIfAborted()
    await writer.add(waiting.take())
  }
  return {
    async add({ chunks, counts, origin }) {
      const page = statistics.add(counts, sectionsOf(chunks))
      languages.add(chunks.codeChars)
      for (const [place, hash] of chunks.hashes.entries()) {
        waiting.add(chunks, place, page, statistics.isCopy(page, hash))
        if (waiting.length >= batchRows || waiting.sizeBytes >= batchBytes) await write()
        report.snippets += 1
        report.codeSnippets += chunks.hasCode[place] as number
        report.tokens += chunks.tokens[place] as number
      }
      if (origin) await origins?.add({ ...origin, stored: { page, rows: chunks.hashes.length } }, counts)
    },
    async finish() {
      report.codeLanguage = languages.main()
      await write()
      await writer.finish(await packInThread(statistics.total()), await origins?.finish())
    },
  }
}
