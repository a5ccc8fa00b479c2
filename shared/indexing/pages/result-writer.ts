import { screeningNotes } from '../../reading/analyse-page.ts'
import type { ReadResult } from '../../reading/read-document.ts'
import { visibleText } from '../../text/visible-text.ts'
import type { IndexProgress, IndexReport, MainLanguage } from './index-report.ts'
import { type KeptPage, type KeptPagesJob, originOf } from './kept-pages.ts'
import type { OriginsWriter, PageOrigin } from './page-origins.ts'
import type { PageSource } from './page-source.ts'
import type { PageWriter } from './page-writer.ts'

export type ResultWriterPorts = {
  pages: PageWriter
  source: Pick<PageSource, 'isEnriched'>
  progress: Pick<IndexProgress, 'handedBack' | 'read'>
  language: Pick<MainLanguage, 'add'>
  /** Undefined if the next job reads every file. */
  tracking: (Pick<KeptPagesJob, 'ids' | 'docsLanguages' | 'repeated'> & { origins: OriginsWriter }) | undefined
  report: IndexReport
}

export type ResultWriter = {
  /** Writes a page of the clone or of the earlier generation, and hands it back. Call it in the order of pages. */
  write(path: string, result: ReadResult | KeptPage): Promise<void>
  /** Writes a page that the model wrote from a source file. The next job generates it again. */
  writeGenerated(source: string, result: ReadResult): Promise<void>
  /** True if the reader of the file came to an end. */
  isCleared(path: string): boolean
}

/** Writes the results of reading, and adds them to the report. */
export function resultWriter(ports: ResultWriterPorts, signal: AbortSignal): ResultWriter {
  const { pages, source, progress, language, tracking, report } = ports
  const cleared = new Set<string>()
  const write = async (path: string, result: ReadResult | KeptPage, isRecorded: boolean) => {
    signal.throwIfAborted()
    if ('origin' in result) await writeKept(path, result)
    else {
      const origin = tracking && isRecorded ? originOf(tracking, path, result) : undefined
      if (!('skipped' in result && result.unread)) cleared.add(path)
      await writeRead(path, result, origin)
      progress.handedBack([path])
    }
    progress.read(report.snippets)
  }
  const note = (path: string, reasons: string[]) => {
    for (const reason of reasons) report.skipped.push({ path: visibleText(path), reason })
  }
  const skip = async (path: string, reason: string, isExpected: boolean | undefined, origin: PageOrigin | undefined) => {
    if (!isExpected) report.skipped.push({ path: visibleText(path), reason })
    if (origin) await tracking?.origins.add({ ...origin, skipped: reason }, undefined)
  }
  const writeRead = async (path: string, result: ReadResult, origin: PageOrigin | undefined) => {
    if ('skipped' in result) return skip(path, result.skipped, result.isExpected, result.unread ? undefined : origin)
    report.filesRead += 1
    if (result.omitted !== undefined) report.skipped.push({ path: visibleText(path), reason: result.omitted })
    language.add(result.language)
    const { chunks, counts, missing, masked } = result.page
    note(path, screeningNotes(chunks.flags, masked))
    await pages.add({ chunks, counts, origin: origin && { ...origin, ...(missing.length > 0 && { lacksText: true as const }) } })
  }
  const writeKept = async (path: string, { origin, content }: KeptPage) => {
    if (origin.skipped !== undefined) return skip(path, origin.skipped, origin.isExpected, origin)
    report.filesKept += 1
    if (origin.omitted !== undefined) report.skipped.push({ path: visibleText(path), reason: origin.omitted })
    language.add(origin.language)
    if (content) note(path, screeningNotes(content.chunks.flags, []))
    if (content) await pages.add({ ...content, origin })
  }
  return {
    write: (path, result) => write(path, result, !source.isEnriched(path)),
    writeGenerated: (path, result) => write(path, result, false),
    isCleared: (path) => cleared.has(path),
  }
}
