import { AppError } from '../errors.ts'
import type { AnalysedUnit } from '../reading/analyse-page.ts'
import type { DiscoverLimits } from '../reading/discover/discover.ts'
import { type ListLimits, listFiles } from '../reading/discover/list-files.ts'
import type { Selection } from '../reading/discover/selection.ts'
import type { RepoAddress } from '../reading/git/repo-address.ts'
import { newHashes } from '../reading/new-hashes.ts'
import type { ReadResult } from '../reading/read-document.ts'
import type { ReaderPool } from '../reading/reader-pool.ts'
import type { SnippetRow, SnippetStore } from '../search/snippet-store.ts'
import { statisticsBuilder } from '../search/statistics.ts'
import { isCode } from '../snippet.ts'
import { pluralize } from '../text/pluralize.ts'
import { visible, visibleText } from '../text/visible-text.ts'
import { mapOrdered } from '../time/map-ordered.ts'
import type { Enrich } from './enrich.ts'
import { findPages } from './find-pages.ts'
import type { GenerateDocs } from './generate-docs.ts'
import type { IndexProgress } from './index-progress.ts'
import { emptyReport, type IndexReport } from './index-report.ts'
import { mainLanguage } from './main-language.ts'
import { packInThread } from './pack-in-thread.ts'

export type IndexFilesPorts = {
  snippets: Pick<SnippetStore, 'write'>
  readers: ReaderPool
  progress: IndexProgress
  /** Absent if no language model is set. */
  enrich?: Enrich | undefined
  /** Absent if no documentation is to be generated. */
  generate?: GenerateDocs | undefined
}

export type IndexFilesJob = {
  /** The clone. */
  root: string
  address: RepoAddress
  commit: string
  selection: Selection
  limits: DiscoverLimits & { list: ListLimits }
  /** Name of the generation to write. */
  generation: string
  /** Files that readers had when earlier runs crashed: read last, one at a time, each in a separate process. */
  suspects: ReadonlySet<string>
}

/** Pages that are read ahead of the writer, held in memory. */
const pagesAhead = 8
/** More with a language model: its reply takes seconds, and one request covers many pages. */
const pagesAheadEnriched = 24
const writeBatchRows = 500
/** A repository with fewer snippets has little documentation, often only a README. */
export const minDocumentedSnippets = 20

/**
 * Clone → files → units → rows → one searchable generation. Safe to run again: the output of a failed run is dropped. Fills `report` while
 * it runs, so that a failed run leaves its findings there. Throws no_snippets_found.
 */
export async function indexFiles(
  { snippets, readers, progress, enrich, generate }: IndexFilesPorts,
  job: IndexFilesJob,
  signal: AbortSignal,
  report: IndexReport = emptyReport(),
): Promise<IndexReport> {
  const files = await listDocuments(job, report, signal)
  const clone = { root: job.root, fileBytes: job.limits.fileBytes, suspects: job.suspects }
  const { pages, suspects } = await findPages({ readers, progress }, clone, files, signal)
  progress.found(pages.length + suspects.length)

  const writer = await snippets.write(job.generation)
  const statistics = statisticsBuilder()
  const isNew = newHashes()
  const language = mainLanguage()
  const cleared = new Set<string>()
  const task = (path: string) => ({
    root: job.root,
    path,
    address: job.address,
    commit: job.commit,
    fileBytes: job.limits.fileBytes,
  })
  const write = async (path: string, result: ReadResult) => {
    signal.throwIfAborted()
    if (!('skipped' in result && result.unread)) cleared.add(path)
    const shownPath = visibleText(path)
    if ('skipped' in result) report.skipped.push({ path: shownPath, reason: result.skipped })
    else {
      report.filesRead += 1
      if (result.omitted !== undefined) report.skipped.push({ path: shownPath, reason: result.omitted })
      language.add(result.language)
      const { units, counts } = result.page
      const fresh = units.filter(({ hash }) => isNew(hash))
      // A page that is a copy is left out of the statistics: it would make its words look common.
      const rows = fresh.length > 0 ? toRows(fresh, statistics.add(counts)) : []
      for (let at = 0; at < rows.length; at += writeBatchRows) {
        signal.throwIfAborted()
        await writer.add(rows.slice(at, at + writeBatchRows))
      }
      report.snippets += fresh.length
      report.codeSnippets += fresh.filter(isCode).length
      report.tokens += fresh.reduce((sum, unit) => sum + unit.tokens, 0)
    }
    progress.handedBack([path])
    progress.read(report.snippets)
  }
  const handOut = (path: string) => {
    signal.throwIfAborted()
    progress.handedOut([path])
    return task(path)
  }
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
    return again
  }
  const readGenerated = async ({ write: generatePage }: GenerateDocs, source: string): Promise<ReadResult> => {
    const page = await generatePage(source)
    return 'skipped' in page ? page : readers.read({ ...task(page.path), root: page.root, source })
  }
  try {
    const read = (path: string) => enriched(path, readers.read(handOut(path)))
    for await (const [path, result] of mapOrdered(pages, enrich ? pagesAheadEnriched : pagesAhead, read))
      await write(path, result)
    const readSuspect = (path: string) => readers.readIsolated(handOut(path))
    for await (const [path, result] of mapOrdered(suspects, 1, readSuspect)) await write(path, result)
    progress.allRead(files.filter((path) => job.suspects.has(path) && !cleared.has(path)))
    if (generate && report.snippets < minDocumentedSnippets) {
      const before = report.snippets
      const sources = await generate.sources(signal)
      progress.found(sources.length)
      const readSource = (source: string) => readGenerated(generate, source)
      for await (const [source, result] of mapOrdered(sources, generate.width, readSource)) await write(source, result)
      report.generated = report.snippets - before
    }
    if (report.snippets === 0) throw generate?.whyStopped() ? nothingGenerated(generate.whyStopped()) : nothingFound(report)
    report.language = language.name()
    await readers.rest()
    progress.indexing()
    await writer.finish(await packInThread(statistics.total()))
    signal.throwIfAborted()
    return report
  } catch (error) {
    // If the table cannot be dropped now, the sweep drops it later. The error of the run is the one to report.
    await writer.abort().catch(() => undefined)
    throw error
  }
}

/** Documents sorted by path; the report takes those that are skipped. */
async function listDocuments(job: IndexFilesJob, report: IndexReport, signal: AbortSignal): Promise<string[]> {
  const { root, selection, limits } = job
  const { paths, skipped } = await listFiles({ documents: { root, selection, limits } }, limits.list, signal)
  for (const each of skipped) report.skipped.push(visible(each))
  return paths
}

const toRows = (units: AnalysedUnit[], page: number): SnippetRow[] =>
  units.map((unit, i) => ({ ...unit, id: `${page}-${i}`, page }))

/** Transient if the provider's error is. */
function nothingGenerated(cause: AppError | undefined): AppError {
  return new AppError('no_snippets_found', `No documentation could be generated. ${cause?.message}`, {
    cause,
    transient: cause?.transient ?? false,
    retryAfterMs: cause?.retryAfterMs,
  })
}

function nothingFound({ skipped }: IndexReport): AppError {
  const example = skipped[0]
    ? ` ${pluralize(skipped.length, 'file')} had to be skipped, the first ("${skipped[0].path}") because ${skipped[0].reason}.`
    : ''
  return new AppError('no_snippets_found', `The repository holds no documentation that can be read.${example}`)
}
