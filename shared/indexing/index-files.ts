import { AppError } from '../errors.ts'
import type { AnalysedUnit } from '../reading/analyse-page.ts'
import type { DiscoverLimits } from '../reading/discover/discover.ts'
import { type ListLimits, listFiles } from '../reading/discover/list-files.ts'
import type { Selection } from '../reading/discover/selection.ts'
import type { Skipped } from '../reading/discover/skipped.ts'
import type { RepoAddress } from '../reading/git/repo-address.ts'
import { newHashes } from '../reading/new-hashes.ts'
import type { ReadResult } from '../reading/read-document.ts'
import type { ReaderPool } from '../reading/reader-pool.ts'
import type { SnippetRow, SnippetStore } from '../search/snippet-store.ts'
import { statisticsBuilder } from '../search/statistics.ts'
import { isCode, pageTitleOf, proseOf } from '../snippet.ts'
import { pluralize } from '../text/pluralize.ts'
import { visible, visibleText } from '../text/visible-text.ts'
import { inOrder } from '../time/in-order.ts'
import type { Enrich } from './enrich.ts'
import type { GenerateDocs } from './generate-docs.ts'
import { mainLanguage } from './main-language.ts'
import { packInThread } from './pack-in-thread.ts'

export type IndexFilesPorts = {
  snippets: Pick<SnippetStore, 'write'>
  readers: ReaderPool
  progress: IndexProgress
  /** Absent where no language model is set. */
  enrich?: Enrich | undefined
  /** Absent where documentation is not to be generated. */
  generate?: GenerateDocs | undefined
}

export type IndexProgress = {
  found(files: number): void
  /** These files are in the hands of a reader until they are `handedBack`: a crash may be their doing. */
  handedOut(paths: string[]): void
  handedBack(paths: string[]): void
  /** One more file is done; so many snippets there are. */
  read(snippets: number): void
  /** All files are read; these of the suspects were not read without harm. */
  allRead(suspects: string[]): void
  /** Indexes are being built. */
  indexing(): void
}

export type IndexFilesJob = {
  /** The clone. */
  root: string
  address: RepoAddress
  commit: string
  selection: Selection
  limits: DiscoverLimits & { list: ListLimits }
  /** Name of the generation that is written. */
  generation: string
  /** Files that were in a reader's hands when earlier runs died: read last, one at a time, in a process of its own. */
  suspects: ReadonlySet<string>
}

export type IndexReport = {
  filesRead: number
  skipped: Skipped[]
  snippets: number
  /** Those of `snippets` that hold code. */
  codeSnippets: number
  tokens: number
  /** Snippets of which a language model says something. */
  enriched: number
  /** Snippets that a language model has written from source files. */
  generated: number
  /** Title and first words of the README in the root. */
  readme: { title: string; lead: string } | undefined
  /** In which people wrote most of it, by its English name; undefined if there is too little prose to tell. */
  language: string | undefined
}

/** What readers have found waits in memory until it is written. */
const inFlight = 8
/** More where a language model is asked for what they lack: its answer takes seconds, and one batch holds what many pages lack. */
const inFlightEnriched = 24
const rowsAtOnce = 500
const scannedAtOnce = 25
const scansAtOnce = 4
/** A repository whose documents hold fewer has little documentation: a README, often. */
export const minDocumentedSnippets = 20

export const emptyReport = (): IndexReport => ({
  filesRead: 0,
  skipped: [],
  snippets: 0,
  codeSnippets: 0,
  tokens: 0,
  enriched: 0,
  generated: 0,
  readme: undefined,
  language: undefined,
})

/**
 * Clone → files → units → rows → one generation, searchable. Safe to run again: what a broken run wrote is dropped. The report is filled
 * on the way, so that a run that fails leaves what it found. Throws no_snippets_found.
 */
export async function indexFiles(
  { snippets, readers, progress, enrich, generate }: IndexFilesPorts,
  job: IndexFilesJob,
  signal: AbortSignal,
  report: IndexReport = emptyReport(),
): Promise<IndexReport> {
  const files = await listDocuments(job, report, signal)
  const { pages, suspects } = await findPages({ readers, progress }, job, files, signal)
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
  const take = async (path: string, result: ReadResult) => {
    signal.throwIfAborted()
    if (!('skipped' in result && result.unread)) cleared.add(path)
    const shownPath = visibleText(path)
    if ('skipped' in result) report.skipped.push({ path: shownPath, reason: result.skipped })
    else {
      report.filesRead += 1
      if (result.lost !== undefined) report.skipped.push({ path: shownPath, reason: result.lost })
      language.add(result.language)
      const { units, counts } = result.page
      if (units[0] && /^readme\.\w+$/i.test(path)) report.readme = { title: pageTitleOf(units[0]), lead: proseOf(units[0]) }
      const fresh = units.filter(({ hash }) => isNew(hash))
      // A copy of a page would make its words look common.
      const rows = fresh.length > 0 ? toRows(fresh, statistics.add(counts)) : []
      for (let at = 0; at < rows.length; at += rowsAtOnce) {
        signal.throwIfAborted()
        await writer.add(rows.slice(at, at + rowsAtOnce))
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
  /** Read once more with what is said of it: its words count in the statistics of its page. */
  const better = async (path: string, own: Promise<ReadResult>): Promise<ReadResult> => {
    const enriching = enrich?.(own)
    enriching?.catch(() => undefined)
    const result = await own
    if (!enriching || 'skipped' in result || result.page.missing.length === 0) return result
    progress.handedBack([path])
    const enrichments = await enriching
    if (!enrichments) return result
    const again = await readers.read({ ...handOut(path), enrichments })
    if ('skipped' in again) return result
    report.enriched += Object.keys(enrichments).length
    return again
  }
  try {
    const read = (path: string) => better(path, readers.read(handOut(path)))
    for await (const [path, result] of inOrder(pages, enrich ? inFlightEnriched : inFlight, read)) await take(path, result)
    for await (const [path, result] of inOrder(suspects, 1, (path) => readers.readIsolated(handOut(path))))
      await take(path, result)
    progress.allRead(files.filter((path) => job.suspects.has(path) && !cleared.has(path)))
    if (generate && report.snippets < minDocumentedSnippets) {
      const before = report.snippets
      const sources = await generate.sources(signal)
      progress.found(sources.length)
      const read = async (source: string): Promise<ReadResult> => {
        const written = await generate.write(source)
        return 'skipped' in written ? written : readers.read({ ...task(written.path), root: written.root, source })
      }
      for await (const [source, result] of inOrder(sources, generate.width, read)) await take(source, result)
      report.generated = report.snippets - before
    }
    if (report.snippets === 0) throw generate?.whyStopped() ? nothingWritten(generate.whyStopped()) : nothingFound(report)
    report.language = language.name()
    await readers.rest()
    progress.indexing()
    await writer.finish(await packInThread(statistics.total()))
    signal.throwIfAborted()
    return report
  } catch (error) {
    // What cannot be removed now belongs to nobody and is swept later; why the run failed counts.
    await writer.abort().catch(() => undefined)
    throw error
  }
}

/** The documents in the order of their paths; what is left out goes to the report. */
async function listDocuments(job: IndexFilesJob, report: IndexReport, signal: AbortSignal): Promise<string[]> {
  const { root, selection, limits } = job
  const { paths, skipped } = await listFiles({ documents: { root, selection, limits } }, limits.list, signal)
  for (const each of skipped) report.skipped.push(visible(each))
  return paths
}

/** The files that no other takes into itself. Suspects are not asked what they take. */
async function findPages(
  { readers, progress }: Pick<IndexFilesPorts, 'readers' | 'progress'>,
  { root, limits, suspects }: IndexFilesJob,
  files: string[],
  signal: AbortSignal,
): Promise<{ pages: string[]; suspects: string[] }> {
  const pages = new Set(files)
  const trusted = files.filter((path) => !suspects.has(path))
  const batches = Array.from({ length: Math.ceil(trusted.length / scannedAtOnce) }, (_, i) =>
    trusted.slice(i * scannedAtOnce, (i + 1) * scannedAtOnce),
  )
  const scan = (paths: string[]) => {
    signal.throwIfAborted()
    progress.handedOut(paths)
    return readers.includes(root, paths, limits.fileBytes)
  }
  for await (const [paths, included] of inOrder(batches, scansAtOnce, scan)) {
    for (const path of included) pages.delete(path)
    progress.handedBack(paths)
  }
  return {
    pages: trusted.filter((path) => pages.has(path)),
    suspects: files.filter((path) => suspects.has(path) && pages.has(path)),
  }
}

const toRows = (units: AnalysedUnit[], page: number): SnippetRow[] =>
  units.map((unit, i) => ({ ...unit, id: `${page}-${i}`, page }))

/** May pass by itself where what the model's provider says may. */
function nothingWritten(cause: AppError | undefined): AppError {
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
