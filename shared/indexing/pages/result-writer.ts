import type { BlobIds } from '../../reading/git/blob-ids.ts'
import type { ReadResult } from '../../reading/read-document.ts'
import type { ReaderPool } from '../../reading/reader-pool.ts'
import { isTextKnown, type PackedChunks } from '../../search/rows/packed-chunks.ts'
import type { PageCounts } from '../../search/statistics/statistics.ts'
import { visibleText } from '../../text/visible-text.ts'
import type { IndexProgress, IndexReport, MainLanguage } from './index-report.ts'
import { type KeptPage, originOf } from './kept-pages.ts'
import type { OriginsWriter, PageOrigin } from './page-origins.ts'
import type { PageSource } from './page-source.ts'
import type { PageWriter } from './page-writer.ts'

export type ResultWriterPorts = {
  pages: PageWriter
  source: Pick<PageSource, 'readFile' | 'isEnriched'>
  readers: Pick<ReaderPool, 'recount'>
  progress: Pick<IndexProgress, 'handedBack' | 'read'>
  language: Pick<MainLanguage, 'add'>
  /** Undefined if the next job reads every file. */
  tracking: { ids: BlobIds; origins: OriginsWriter } | undefined
  report: IndexReport
}

/** `counts` are those of the chunks with a text. */
type CountedPage = { chunks: PackedChunks; counts: PageCounts | undefined }

/** A page, and which of its chunks are stored. `counted` is absent if the page cannot be counted again: the next job reads it. */
export type Placed = { result: ReadResult | KeptPage; isFirst: boolean[]; counted?: CountedPage | undefined }

export type ResultWriter = {
  /** Chooses the chunks of a page that are stored. Call it in the order of writing; pages are counted at the same time. */
  place(path: string, result: ReadResult | KeptPage): Promise<Placed>
  /** Writes a page of the clone or of the earlier generation, and hands it back. */
  write(path: string, placed: Placed): Promise<void>
  /** Writes a page that the model wrote from a source file. The next job generates it again. */
  writeGenerated(source: string, placed: Placed): Promise<void>
  /** True if the reader of the file came to an end. */
  isCleared(path: string): boolean
}

/** Writes the results of reading, and adds them to the report. */
export function resultWriter(ports: ResultWriterPorts, signal: AbortSignal): ResultWriter {
  const { pages, source, readers, progress, language, tracking, report } = ports
  const cleared = new Set<string>()
  const write = async (path: string, placed: Placed, isRecorded: boolean) => {
    signal.throwIfAborted()
    const { result } = placed
    if ('origin' in result) await writeKept(path, result, placed)
    else {
      const origin = tracking && isRecorded ? originOf(tracking.ids, path, result) : undefined
      if (!('skipped' in result && result.unread)) cleared.add(path)
      await writeRead(path, result, placed, origin)
      progress.handedBack([path])
    }
    progress.read(report.snippets)
  }
  const skip = async (path: string, reason: string, origin: PageOrigin | undefined) => {
    report.skipped.push({ path: visibleText(path), reason })
    if (origin) await tracking?.origins.add({ ...origin, skipped: reason }, undefined)
  }
  const writeRead = async (path: string, result: ReadResult, { isFirst, counted }: Placed, origin: PageOrigin | undefined) => {
    if ('skipped' in result) return skip(path, result.skipped, result.unread ? undefined : origin)
    report.filesRead += 1
    if (result.omitted !== undefined) report.skipped.push({ path: visibleText(path), reason: result.omitted })
    language.add(result.language)
    const { chunks, counts, missing } = result.page
    const own = origin && { ...origin, ...(missing.length > 0 && { lacksText: true as const }) }
    await pages.add({ chunks, counts, ...counted, isFirst, origin: counted && own })
  }
  const writeKept = async (path: string, { origin, chunks, counts }: KeptPage, { isFirst, counted }: Placed) => {
    if (origin.skipped !== undefined) return skip(path, origin.skipped, origin)
    report.filesKept += 1
    if (origin.omitted !== undefined) report.skipped.push({ path: visibleText(path), reason: origin.omitted })
    language.add(origin.language)
    await pages.add({ chunks, counts, ...counted, isFirst, origin: counted && origin })
  }
  return {
    async place(path, read) {
      if ('skipped' in read) return { result: read, isFirst: [] }
      const { chunks } = 'page' in read ? read.page : read
      const isFirst = pages.firsts(chunks)
      // The page that held the text of a copy has changed or is gone.
      const isIncomplete = isFirst.some((first, i) => first && !isTextKnown(chunks, i))
      const result = isIncomplete ? await source.readFile(path) : read
      if ('skipped' in result) return { result, isFirst }
      return { result, isFirst, counted: await countStored(readers, 'page' in result ? result.page : result, isFirst) }
    },
    write: (path, placed) => write(path, placed, !source.isEnriched(path)),
    writeGenerated: (path, placed) => write(path, placed, false),
    isCleared: (path) => cleared.has(path),
  }
}

/**
 * A page with the counts of the chunks that are stored, so that the statistics of a generation agree with its rows. Each chunk that is stored has its
 * text. Undefined if the page cannot be counted again.
 */
async function countStored(
  readers: Pick<ReaderPool, 'recount'>,
  page: CountedPage,
  isStored: boolean[],
): Promise<CountedPage | undefined> {
  const counted = isStored.filter((_, i) => isTextKnown(page.chunks, i)).length
  const stored = isStored.filter((each) => each).length
  return stored === 0 || stored === counted
    ? { chunks: page.chunks, counts: page.counts }
    : readers.recount({ chunks: page.chunks, isStored })
}
