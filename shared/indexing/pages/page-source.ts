import { addressOf, type FileAddress } from '../../reading/file-url.ts'
import type { ReadResult } from '../../reading/read-document.ts'
import type { ReaderPool } from '../../reading/reader-pool.ts'
import type { Enrich } from '../llm/enrich.ts'
import type { GenerateDocs } from '../llm/generate-docs.ts'
import type { IndexProgress, IndexReport } from './index-report.ts'
import type { KeptPage, KeptPages } from './kept-pages.ts'

export type PageSourcePorts = {
  readers: ReaderPool
  progress: IndexProgress
  enrich: Enrich | undefined
  /** The unchanged pages of an earlier generation. */
  kept: KeptPages | undefined
  report: IndexReport
}

export type Clone = {
  root: string
  address: FileAddress
  /** The address of each page, if they are no files of a repository. */
  urls: ReadonlyMap<string, string> | undefined
  commit: string
  fileBytes: number
  /** The language of each page, if the documentation has several. */
  docsLanguages: ReadonlyMap<string, string>
  /** The other files of a page. */
  parts: ReadonlyMap<string, readonly string[]>
  /** Pages whose title several pages have. */
  repeated: ReadonlySet<string>
}

export type PageSource = {
  /** A page of the earlier generation, or of the clone with the titles and descriptions of the model. */
  read(path: string): Promise<ReadResult | KeptPage>
  /** A page of the clone, in a separate process. */
  readIsolated(path: string): Promise<ReadResult>
  /** A page that the model writes from a source file. */
  readGenerated(generate: GenerateDocs, source: string): Promise<ReadResult>
  /** True if the model gave titles or descriptions to the page. */
  isEnriched(path: string): boolean
}

/** Reads pages in any order. A reader has each page that is read from its file until the caller hands it back. */
export function pageSource(
  { readers, progress, enrich, kept, report }: PageSourcePorts,
  { docsLanguages, parts, repeated, address, urls, ...clone }: Clone,
  signal: AbortSignal,
): PageSource {
  const enrichedPaths = new Set<string>()
  const handOut = (path: string) => {
    signal.throwIfAborted()
    progress.handedOut([path])
    return {
      ...clone,
      path,
      address: addressOf(address, urls, path),
      docsLanguage: docsLanguages.get(path),
      parts: parts.get(path),
      repeatsTitle: repeated.has(path),
    }
  }
  const readFile = (path: string) => readers.read(handOut(path))
  /** Reads the page again with the model's titles and descriptions, so that the statistics include their words. */
  const enriched = async (path: string, reading: Promise<ReadResult>): Promise<ReadResult> => {
    const enriching = enrich?.(reading)
    enriching?.catch(() => undefined)
    const result = await reading
    if (!enriching || 'skipped' in result || result.page.missing.length === 0) return result
    progress.handedBack([path])
    const enrichments = await enriching
    if (!enrichments) return result
    const again = await readers.read({ ...handOut(path), enrichments })
    if ('skipped' in again) return result
    report.enriched += Object.keys(enrichments).length
    enrichedPaths.add(path)
    return again
  }
  const readEnriched = (path: string) => enriched(path, readFile(path))
  return {
    read: (path) => (kept?.has(path) ? kept.take(path).catch(() => readEnriched(path)) : readEnriched(path)),
    readIsolated: (path) => readers.readIsolated(handOut(path)),
    async readGenerated({ write }, source) {
      const page = await write(source)
      return 'skipped' in page ? page : readers.read({ ...clone, address, path: page.path, root: page.root, source })
    },
    isEnriched: (path) => enrichedPaths.has(path),
  }
}
