import { AppError } from '../../errors.ts'
import type { DiscoverLimits } from '../../reading/discover/discover.ts'
import { type ListLimits, listFiles } from '../../reading/discover/list-files.ts'
import type { CloneSelection } from '../../reading/discover/selection.ts'
import type { BlobIds } from '../../reading/git/blob-ids.ts'
import type { RepoAddress } from '../../reading/git/repo-address.ts'
import type { ReadResult } from '../../reading/read-document.ts'
import type { ReaderPool } from '../../reading/reader-pool.ts'
import { isTextKnown } from '../../search/rows/packed-units.ts'
import type { SnippetStore } from '../../search/rows/snippet-store.ts'
import { pluralize } from '../../text/pluralize.ts'
import { visible, visibleText } from '../../text/visible-text.ts'
import { mapOrdered } from '../../time/map-ordered.ts'
import type { Enrich } from '../llm/enrich.ts'
import type { GenerateDocs } from '../llm/generate-docs.ts'
import { type CountedPage, countStored } from './count-stored.ts'
import { findPages } from './find-pages.ts'
import type { IndexProgress } from './index-progress.ts'
import { emptyReport, type IndexReport } from './index-report.ts'
import { type KeptPage, type KeptPages, keptPages, originOf } from './kept-pages.ts'
import { mainLanguage } from './main-language.ts'
import { type OriginsOf, originsWriter, type PageOrigin } from './page-origins.ts'
import { pageWriter } from './page-writer.ts'

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
  selection: CloneSelection
  limits: DiscoverLimits & { list: ListLimits }
  /** If absent, the next job reads every file. */
  tracking?: Tracking | undefined
  /** Name of the generation to write. */
  generation: string
  /** Files that readers had when earlier runs crashed: each is read in a separate process, and no other file meanwhile. */
  suspects: ReadonlySet<string>
}

/** The data with which unchanged pages are found. */
export type Tracking = {
  /** The ids of the files in the clone. */
  ids: BlobIds
  of: OriginsOf
  /** The generation whose unchanged pages are kept. */
  earlier: { generation: string; snippets: Pick<SnippetStore, 'read' | 'origins'> } | undefined
}

/** A page, and which of its units are stored. `counted` is absent if the page cannot be counted again: the next job reads it. */
type Placed = { result: ReadResult | KeptPage; isFirst: boolean[]; counted?: CountedPage | undefined }

/** Pages that are read ahead of the writer, held in memory. */
const pagesAhead = 8
/** The limit is higher with a language model: its reply takes seconds, and one request covers many pages. */
const pagesAheadEnriched = 24
/** Pages that are counted ahead of the writer. */
const pagesPlaced = 4
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
  const pages = await findPages({ readers, progress }, clone, files, signal)
  progress.found(pages.length)

  const writer = await snippets.write(job.generation)
  const { tracking } = job
  const origins = tracking && originsWriter(tracking.of)
  const written = pageWriter(writer, { origins, report, signal })
  const kept = await openKept(job, { pages, hasModel: enrich !== undefined })
  const language = mainLanguage()
  const cleared = new Set<string>()
  const enrichedPaths = new Set<string>()
  const task = (path: string) => ({
    root: job.root,
    path,
    address: job.address,
    commit: job.commit,
    fileBytes: job.limits.fileBytes,
  })
  /** Chooses the units of a page that are stored. Call it in the order of writing; pages are counted at the same time. */
  const place = async (path: string, found: ReadResult | KeptPage): Promise<Placed> => {
    if ('skipped' in found) return { result: found, isFirst: [] }
    const { units } = 'page' in found ? found.page : found
    const isFirst = written.firsts(units)
    // The page that held the text of a copy has changed or is gone.
    const isIncomplete = isFirst.some((each, i) => each && !isTextKnown(units, i))
    const result = isIncomplete ? await readers.read(handOut(path)) : found
    if ('skipped' in result) return { result, isFirst }
    return { result, isFirst, counted: await countStored(readers, 'page' in result ? result.page : result, isFirst) }
  }
  const write = async (path: string, placed: Placed, isRecorded = !enrichedPaths.has(path)) => {
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
    if (origin) await origins?.add({ ...origin, skipped: reason }, undefined)
  }
  const writeRead = async (path: string, result: ReadResult, { isFirst, counted }: Placed, origin: PageOrigin | undefined) => {
    if ('skipped' in result) return skip(path, result.skipped, result.unread ? undefined : origin)
    report.filesRead += 1
    if (result.omitted !== undefined) report.skipped.push({ path: visibleText(path), reason: result.omitted })
    language.add(result.language)
    const { units, counts, missing } = result.page
    const own = origin && { ...origin, ...(missing.length > 0 && { lacksText: true as const }) }
    await written.add({ units, counts, ...counted, isFirst, origin: counted && own })
  }
  const writeKept = async (path: string, { origin, units, counts }: KeptPage, { isFirst, counted }: Placed) => {
    if (origin.skipped !== undefined) return skip(path, origin.skipped, origin)
    report.filesKept += 1
    if (origin.omitted !== undefined) report.skipped.push({ path: visibleText(path), reason: origin.omitted })
    language.add(origin.language)
    await written.add({ units, counts, ...counted, isFirst, origin: counted && origin })
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
    enrichedPaths.add(path)
    return again
  }
  const readGenerated = async ({ write: generatePage }: GenerateDocs, source: string): Promise<ReadResult> => {
    const page = await generatePage(source)
    return 'skipped' in page ? page : readers.read({ ...task(page.path), root: page.root, source })
  }
  try {
    const readAgain = (path: string) => enriched(path, readers.read(handOut(path)))
    const read = (path: string): Promise<ReadResult | KeptPage> =>
      kept?.has(path) ? kept.take(path).catch(() => readAgain(path)) : readAgain(path)
    for (const { trusted, suspect } of aroundSuspects(pages, job.suspects)) {
      const results = mapOrdered(trusted, enrich ? pagesAheadEnriched : pagesAhead, read)
      for await (const [[path], placed] of mapOrdered(results, pagesPlaced, ([path, result]) => place(path, result)))
        await write(path, placed)
      if (suspect !== undefined) await write(suspect, await place(suspect, await readers.readIsolated(handOut(suspect))))
    }
    progress.allRead(files.filter((path) => job.suspects.has(path) && !cleared.has(path)))
    if (generate && report.snippets < minDocumentedSnippets) {
      const before = report.snippets
      const sources = await generate.sources(signal)
      progress.found(sources.length)
      const readSource = (source: string) => readGenerated(generate, source)
      for await (const [source, result] of mapOrdered(sources, generate.width, readSource))
        await write(source, await place(source, result), false)
      report.generated = report.snippets - before
    }
    if (report.snippets === 0) throw generate?.whyStopped() ? nothingGenerated(generate.whyStopped()) : nothingFound(report)
    report.language = language.name()
    await readers.rest()
    progress.indexing()
    await written.finish()
    signal.throwIfAborted()
    return report
  } catch (error) {
    // If the table cannot be dropped now, the sweep drops it later. The error of the run is the one to report.
    await writer.abort().catch(() => undefined)
    throw error
  } finally {
    await kept?.close()
  }
}

/** Each suspect after the trusted pages before it, so that no other page is in hand while it is read. */
function aroundSuspects(pages: string[], suspects: ReadonlySet<string>): { trusted: string[]; suspect?: string }[] {
  const parts: { trusted: string[]; suspect?: string }[] = [{ trusted: [] }]
  for (const path of pages) {
    const last = parts.at(-1) as (typeof parts)[number]
    if (!suspects.has(path)) last.trusted.push(path)
    else {
      last.suspect = path
      parts.push({ trusted: [] })
    }
  }
  return parts
}

/** Returns undefined if there is no earlier generation or it cannot be read: every page is read. */
async function openKept(
  { address, commit, tracking }: IndexFilesJob,
  { pages, hasModel }: { pages: string[]; hasModel: boolean },
): Promise<KeptPages | undefined> {
  if (!tracking?.earlier) return undefined
  const { ids, of, earlier } = tracking
  const job = { base: earlier.generation, ids, of, address, commit, hasModel }
  return keptPages(earlier, job, pages).catch(() => undefined)
}

/** Documents sorted by path; the report takes those that are skipped. */
async function listDocuments(job: IndexFilesJob, report: IndexReport, signal: AbortSignal): Promise<string[]> {
  const { root, selection, limits } = job
  const { paths, skipped } = await listFiles({ documents: { root, selection, limits } }, limits.list, signal)
  for (const each of skipped) report.skipped.push(visible(each))
  return paths
}

/** Transient if the provider's error is. */
function nothingGenerated(cause: AppError | undefined): AppError {
  return new AppError('no_snippets_found', `No documentation could be generated. ${cause?.message}`, {
    cause,
    retry: cause?.retry ?? 'never',
    retryAfterMs: cause?.retryAfterMs,
  })
}

function nothingFound({ skipped }: IndexReport): AppError {
  const example = skipped[0]
    ? ` ${pluralize(skipped.length, 'file')} had to be skipped, the first ("${skipped[0].path}") because ${skipped[0].reason}.`
    : ''
  return new AppError('no_snippets_found', `The repository holds no documentation that can be read.${example}`)
}
