import { AppError } from '../../errors.ts'
import type { DiscoverLimits } from '../../reading/discover/discover.ts'
import { type ListLimits, listFiles } from '../../reading/discover/list-files.ts'
import type { CloneSelection } from '../../reading/discover/selection.ts'
import type { FileAddress } from '../../reading/file-url.ts'
import type { BlobIds } from '../../reading/git/blob-ids.ts'
import type { ReaderPool } from '../../reading/reader-pool.ts'
import type { SnippetStore } from '../../search/rows/snippet-store.ts'
import { pluralize } from '../../text/figures.ts'
import { visible } from '../../text/visible-text.ts'
import { mapOrdered } from '../../time/map-ordered.ts'
import type { Enrich } from '../llm/enrich.ts'
import type { GenerateDocs } from '../llm/generate-docs.ts'
import { languagesSkipped, rejectMissingLanguages } from './docs-languages.ts'
import { findPages } from './find-pages.ts'
import { emptyReport, type IndexProgress, type IndexReport, mainLanguage } from './index-report.ts'
import { type KeptPages, type KeptPagesJob, keptPages } from './kept-pages.ts'
import { type OriginsOf, originsWriter } from './page-origins.ts'
import { pageSource } from './page-source.ts'
import { pageWriter } from './page-writer.ts'
import { resultWriter } from './result-writer.ts'

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
  address: FileAddress
  /** The address of each page, if they are no files of a repository. */
  urls?: ReadonlyMap<string, string> | undefined
  commit: string
  selection: CloneSelection
  /** The job fails if the documentation lacks one of them. */
  requiredLanguages?: string[] | undefined
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

/** Pages that are read ahead of the writer, held in memory. */
const pagesAhead = 16
/** The limit is higher with a language model: its reply takes seconds, and one request covers many pages. */
const pagesAheadEnriched = 24
/** A repository with fewer snippets has little documentation, often only a README. */
export const minDocumentedSnippets = 20

/**
 * Clone → files → chunks → rows → one searchable generation. Safe to run again: the output of a failed run is dropped. Fills `report` while
 * it runs, so that a failed run leaves its findings there. Throws no_snippets_found.
 */
export async function indexFiles(
  { snippets, readers, progress, enrich, generate }: IndexFilesPorts,
  job: IndexFilesJob,
  signal: AbortSignal,
  report: IndexReport = emptyReport(),
): Promise<IndexReport> {
  const { files, docsLanguages } = await listDocuments(job, report, signal)
  const { root, address, urls, commit, limits, suspects, tracking } = job
  const { fileBytes } = limits
  const { paths, parts, repeated, imports } = await findPages({ readers, progress }, { root, fileBytes, suspects }, files, signal)
  report.imports = imports
  progress.filesFound(paths.length)

  const writer = await snippets.write(job.generation)
  const origins = tracking && originsWriter(tracking.of)
  const pages = pageWriter(writer, { origins, report, signal })
  const kept = await openKept(job, { pages: paths, docsLanguages, parts, repeated, hasModel: enrich !== undefined })
  const source = pageSource(
    { readers, progress, enrich, kept, report },
    { root, address, urls, commit, fileBytes, docsLanguages, parts, repeated },
    signal,
  )
  const language = mainLanguage()
  const tracked = tracking && origins && { ids: tracking.ids, docsLanguages, repeated, origins }
  const results = resultWriter({ pages, source, progress, language, tracking: tracked, report }, signal)
  try {
    for (const { trusted, suspect } of aroundSuspects(paths, suspects)) {
      const read = mapOrdered(trusted, enrich ? pagesAheadEnriched : pagesAhead, source.read)
      for await (const [path, result] of read) await results.write(path, result)
      if (suspect !== undefined) await results.write(suspect, await source.readIsolated(suspect))
    }
    progress.allRead(files.filter((path) => suspects.has(path) && !results.isCleared(path)))
    if (generate && report.snippets < minDocumentedSnippets) {
      const documented = report.snippets
      const sources = await generate.sources(signal)
      progress.filesFound(sources.length)
      const generated = mapOrdered(sources, generate.width, (path) => source.readGenerated(generate, path))
      for await (const [path, result] of generated) await results.writeGenerated(path, result)
      report.generated = report.snippets - documented
    }
    if (report.snippets === 0) throw generate?.whyStopped() ? nothingGenerated(generate.whyStopped()) : nothingFound(report)
    report.language = language.name()
    await readers.rest()
    progress.indexing()
    await pages.finish()
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
  { address, urls, commit, tracking }: IndexFilesJob,
  { pages, ...facts }: { pages: string[] } & Pick<KeptPagesJob, 'docsLanguages' | 'parts' | 'repeated' | 'hasModel'>,
): Promise<KeptPages | undefined> {
  if (!tracking?.earlier) return undefined
  const { ids, of, earlier } = tracking
  const job = { base: earlier.generation, ids, of, address, urls, commit, ...facts }
  return keptPages(earlier, job, pages).catch(() => undefined)
}

type Documents = { files: string[]; docsLanguages: ReadonlyMap<string, string> }

/** Documents sorted by path; the report takes those that are skipped, and the languages. Throws tag_not_found for unknown required languages. */
async function listDocuments(job: IndexFilesJob, report: IndexReport, signal: AbortSignal): Promise<Documents> {
  const { root, selection, limits, requiredLanguages } = job
  const listed = await listFiles({ documents: { root, selection, limits } }, limits.list, signal)
  for (const each of [...languagesSkipped(listed.languages), ...listed.skipped]) report.skipped.push(visible(each))
  report.languages = listed.languages
  rejectMissingLanguages(listed.languages, requiredLanguages)
  const languages = listed.paths.map((path, i): [string, string] => [path, listed.docsLanguages[i] ?? ''])
  return { files: listed.paths, docsLanguages: new Map(languages.filter(([, language]) => language !== '')) }
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
