import type { Vectors } from '../../shared/ai/vectors.ts'
import { analysedElement } from '../../shared/bundle/analysed-element.ts'
import type { BundleHead } from '../../shared/bundle/bundle-element.ts'
import { addSkippedPages, readNotes, readSkippedPages, readStagedHead } from '../../shared/bundle/stage-element.ts'
import { AppError } from '../../shared/errors.ts'
import type { Embedding } from '../../shared/indexing/embedding/embedding-store.ts'
import { fewVectors } from '../../shared/indexing/embedding/few-vectors.ts'
import { knownVectors } from '../../shared/indexing/embedding/known-vectors.ts'
import type { JobReport } from '../../shared/indexing/index-job.ts'
import { interruptibleStore } from '../../shared/indexing/interruptible-store.ts'
import type { Outcome } from '../../shared/indexing/job-run.ts'
import type { IndexingLimits } from '../../shared/indexing/limits.ts'
import { firstSkipped } from '../../shared/indexing/report-draft.ts'
import { type LibraryId, libraryKey } from '../../shared/library.ts'
import type { Skipped } from '../../shared/reading/discover/skipped.ts'
import type { GenerationWriter, SnippetStore } from '../../shared/search/rows/snippet-store.ts'
import { pluralize } from '../../shared/text/figures.ts'
import type { ImportFolder } from '../import/import-folder.ts'
import { importedFacts } from '../import/imported-facts.ts'
import type { InstallCatalog } from '../store/catalog/sqlite-catalog.ts'
import type { ClaimedJob } from '../store/jobs/job.ts'
import type { WorkProgress } from './work-progress.ts'

export type ImportPorts = {
  catalog: InstallCatalog
  snippets: SnippetStore
  imports: Pick<ImportFolder, 'pathOf'>
  /** The embedding that the settings name now. */
  embedding(): Embedding | undefined
  vectors: Vectors
  limits: Pick<IndexingLimits, 'read'>
  now(): Date
}
type ImportJob = Extract<ClaimedJob, { kind: 'import' }> & { library: LibraryId }

/** A run resumes after the rows of an interrupted run. Increase the number when the conversion of elements to rows changes. */
const rowsFormat = 1

/**
 * Writes staged snippets to a new generation and publishes it. An interrupted run resumes after its last stored batch, because the
 * generation is named after the job. The old content is served until the new content is complete.
 */
export async function importLibrary(
  ports: ImportPorts,
  job: ImportJob,
  progress: WorkProgress,
  signal: AbortSignal,
): Promise<Outcome> {
  const began = ports.now().getTime()
  const { catalog, imports } = ports
  const id = job.library
  const generation = `g${job.id}-${job.request.staged}-${rowsFormat}`
  const served = catalog.versions(id).find(({ version }) => version === (id.version ?? ''))
  const report: JobReport = {
    filesRead: 0,
    skipped: [],
    snippetsBefore: job.report?.snippetsBefore ?? served?.snippets ?? 0,
    snippetsAfter: served?.snippets ?? 0,
    tokens: served?.tokens ?? 0,
    durationMs: 0,
    ...job.spent,
    versions: served
      ? [{ version: served.version, filesRead: 0, snippets: served.snippets, tokens: served.tokens, skipped: 0 }]
      : [],
  }
  const embedding = ports.embedding()
  const space = embedding && served?.space
  const onEmbedded = (texts: number) => {
    report.textsEmbedded += texts
  }
  const makeFew = embedding && space && fewVectors(embedding, space, signal, onEmbedded)
  const store = knownVectors(interruptibleStore(ports, signal), ports.vectors, { library: libraryKey(id), space, makeFew })
  const reported = () => ({ ...report, durationMs: ports.now().getTime() - began })
  try {
    // The server died after the publication, before it recorded the end of the job.
    if (served?.generation === generation) return { report: reported() }
    const folder = imports.pathOf(job.request.staged)
    const head = await readStagedHead(folder)
    if (!head) throw stagedDataDeleted(job)
    progress.log(job.request.origin)
    const notes = await readNotes(folder)
    if (notes.length > 0) progress.log('Something of the bundle was left out or changed; the report says what.')
    report.skipped = firstSkipped(notes)
    const written = await write(ports, store, {
      job,
      version: id.version ?? '',
      head,
      folder,
      generation,
      progress,
      signal,
      report,
      notes,
    })
    signal.throwIfAborted()
    const version = {
      version: id.version ?? '',
      ref: head.branch || (id.version ?? ''),
      generation,
      commit: head.commit,
      commitDate: readDate(head.commitDate),
    }
    const removed = job.request.removes ?? []
    catalog.publish(
      importedFacts(catalog, id, head, served !== undefined),
      [{ ...version, ...written, rules: head.rules, space, format: ports.snippets.format }],
      removed,
    )
    for (const { version: name } of removed) progress.log(`Version ${name} is removed: the bundle does not hold it.`)
    const { snippets, tokens } = written
    const row = { version: id.version ?? '', filesRead: 0, snippets, tokens, skipped: report.skipped.length }
    Object.assign(report, { snippetsAfter: snippets, tokens, versions: [row] })
    return { report: reported() }
  } catch (error) {
    return { error, report: reported() }
  }
}

/** Undefined for a text that is no date. */
function readDate(text: string | undefined): string | undefined {
  const date = new Date(text ?? '')
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString()
}

type Work = {
  job: ImportJob
  version: string
  head: BundleHead
  folder: string
  generation: string
  progress: WorkProgress
  signal: AbortSignal
  report: JobReport
  /** Parts of the element that were omitted or changed when it was staged. */
  notes: Skipped[]
}

type Written = { snippets: number; codeSnippets: number; tokens: number; codeLanguage?: string | undefined }

async function write(ports: ImportPorts, store: Pick<SnippetStore, 'write'>, work: Work): Promise<Written> {
  const { generation, job, progress, version } = work
  ports.catalog.reserve(generation, job.id, version)
  const writer = await store.write(generation)
  if (writer.written > 0) progress.log(`${pluralize(writer.written, 'snippet')} stored already. The import continues after them.`)
  const written = await writeRows(ports, writer, work)
  if (written) return written
  progress.log('A page that an earlier run could read is now unreadable. The import starts again.')
  await writer.abort()
  return write(ports, store, work)
}

/** Writes the rows of all pages. Undefined if the rows of an earlier run do not match the pages that can be read now. */
async function writeRows(
  { limits }: ImportPorts,
  writer: GenerationWriter,
  { head, folder, progress, signal, report, notes }: Work,
): Promise<Written | undefined> {
  const counting = progress.counting('Importing snippets', head.totalSnippets)
  const lostBefore = await readSkippedPages(folder)
  const knownLosses = new Set(lostBefore.map(({ number }) => number))
  const batches = analysedElement(folder, { rows: writer.written, skipped: lostBefore }, limits.read, signal)
  const skipped: Skipped[] = []
  const screened: Skipped[] = []
  let written: Written = { snippets: 0, codeSnippets: 0, tokens: 0 }
  try {
    for (let next = await batches.next(); ; next = await batches.next()) {
      signal.throwIfAborted()
      if (next.done) {
        const { snippets, tokens } = written
        if (snippets === 0) throw nothingRead(skipped)
        const lost = skipped.length > 0 ? `, ${pluralize(skipped.length, 'page')} skipped` : ''
        progress.log(`${pluralize(snippets, 'snippet')}, ${tokens} tokens${lost}.`)
        counting.indexing()
        await writer.finish(next.value)
        return written
      }
      const { rows, skipped: pages, restart, done, codeSnippets, codeLanguage, tokens } = next.value
      const added = pages.filter(({ number }) => !knownLosses.has(number))
      if (added.length > 0) await addSkippedPages(folder, added)
      skipped.push(...pages.map(({ path, reason }) => ({ path, reason })))
      screened.push(...next.value.notes)
      report.skipped = firstSkipped([...notes, ...skipped, ...screened])
      if (restart) return undefined
      await writer.add(rows)
      written = { snippets: done, codeSnippets, tokens, codeLanguage }
      counting.done(done)
    }
  } finally {
    await batches.return(new Uint8Array())
  }
}

function nothingRead([first]: Skipped[]): AppError {
  const example = first ? ` "${first.path}" was skipped because ${first.reason}.` : ''
  return new AppError('no_snippets_found', `Nothing of this library can be read.${example} The old content stays.`)
}

const stagedDataDeleted = ({ id }: ImportJob) =>
  new AppError('not_found', `The uploaded data of job ${id} was deleted. Import the bundle again.`)
