import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { VectorSpace } from '../ai/embedder.ts'
import type { KnownAnswers } from '../ai/known-answers.ts'
import { AppError } from '../errors.ts'
import { libraryKey, printLibraryId } from '../library.ts'
import { describeLanguages } from '../reading/discover/languages/choose-languages.ts'
import { type CloneSelection, selectionIn } from '../reading/discover/selection.ts'
import { packageVersion } from '../system/package-version.ts'
import { filesReadAndKept, pluralize } from '../text/figures.ts'
import { abortAfter } from '../time/with-timeout.ts'
import { isReadable } from './decide-version.ts'
import { fewVectors } from './embedding/few-vectors.ts'
import { knownVectors } from './embedding/known-vectors.ts'
import type { StoredVersion } from './indexing-catalog.ts'
import { interruptibleStore } from './interruptible-store.ts'
import type { Content, Fetched, JobProgress, JobRun } from './job-run.ts'
import { llmEnrich } from './llm/enrich.ts'
import { type GenerateDocs, llmGenerateDocs } from './llm/generate-docs.ts'
import { requiredLanguages } from './pages/docs-languages.ts'
import {
  type IndexFilesJob,
  type IndexFilesPorts,
  indexFiles,
  minDocumentedSnippets,
  type Tracking,
} from './pages/index-files.ts'
import { emptyReport, type IndexReport } from './pages/index-report.ts'

/**
 * Writes the fetched files as a generation that is not served yet. `version` is '' for the default content. Throws no_snippets_found, also if
 * more than half of the stored snippets would be lost and the request has no force.
 */
export async function indexVersion(
  run: JobRun,
  fetched: Fetched,
  version: string,
  stored: StoredVersion | undefined,
): Promise<Content> {
  const { job, catalog, progress, source, limits, draft, llm } = run
  const { ref, commit, commitDate, project } = fetched
  const generation = `g${job.id}-${randomBytes(6).toString('hex')}`
  await catalog.reserve(generation, job.id, version)
  const reading = progress.reading(version)
  const work = {
    root: fetched.dir,
    address: source.files,
    urls: fetched.urls,
    commit,
    selection: {
      ...selectionIn(job.request, fetched),
      readsOffice: job.request.source?.kind === 'files',
      apiReference: job.request.apiReference,
    },
    requiredLanguages: requiredLanguages(job.request.languages, await catalog.settings(job.library)),
    limits: { ...limits.documents, list: limits.list },
    generation,
    suspects: reading.suspects,
    tracking: await trackingOf(run, fetched, version, stored),
  }
  const report = emptyReport()
  const answers = llm?.answers(libraryKey(job.library), version, job.id)
  const enrich = llm && answers && llmEnrich(llm.ask, answers)
  const generate = generator(run, fetched, work.selection, answers)
  if (job.request.generateDocs && !generate)
    report.skipped.push({ path: 'generateDocs', reason: 'no documentation is generated: no language model is set' })
  draft.current = { version, report, skipped: fetched.skipped }
  const space = run.embedding && stored?.space
  await writeGeneration(run, space, { progress: reading, enrich, generate }, work, report)
  const skipped = [...fetched.skipped, ...report.skipped]
  const content = {
    report,
    skipped,
    version: {
      version,
      ref,
      generation,
      commit,
      commitDate,
      rules: project.rules ?? [],
      tokens: report.tokens,
      snippets: report.snippets,
      codeSnippets: report.codeSnippets,
      space,
      language: report.language,
      codeLanguage: report.codeLanguage,
      format: run.snippets.format,
    },
  }
  if (stored && !job.request.force) rejectLoss(run, content, stored, generate?.whyStopped())
  const languages = describeLanguages(report.languages)
  if (languages) progress.log(languages)
  logModelUse(progress, report, generate)
  progress.log(
    `${version === '' ? ref : version}: ${pluralize(report.snippets, 'snippet')}${filesOf(report)}, ${skipped.length} skipped.`,
  )
  return content
}

/** Writes the generation within the time limit of a version, with the known vectors of the space. */
async function writeGeneration(
  run: JobRun,
  space: VectorSpace | undefined,
  ports: Pick<IndexFilesPorts, 'progress' | 'enrich' | 'generate'>,
  work: IndexFilesJob,
  report: IndexReport,
): Promise<void> {
  const { draft, embedding, job, readers } = run
  const { indexMs } = run.limits
  try {
    await abortAfter({ maxMs: indexMs, error: () => tooSlow(indexMs) }, async (late) => {
      const signal = AbortSignal.any([run.signal, late])
      const store = interruptibleStore(run, signal)
      const onEmbedded = (texts: number) => {
        draft.textsEmbedded += texts
      }
      const makeFew = embedding && space && fewVectors(embedding, space, signal, onEmbedded)
      const written = { library: libraryKey(job.library), space, makeFew }
      const snippets = embedding ? knownVectors(store, embedding.vectors, written) : store
      await indexFiles({ ...ports, snippets, readers }, work, signal, report)
    })
  } finally {
    await readers.rest()
  }
}

/** `stopped` is the reason why not all documentation could be generated. */
function rejectLoss(run: JobRun, content: Content, stored: StoredVersion, stopped: AppError | undefined): void {
  const { snippets } = content.report
  if (snippets * 2 < stored.snippets) throw tooGreatLoss(run, content, stored)
  if (stopped && snippets < stored.snippets) throw incomplete(stopped, stored)
}

function logModelUse(
  { log }: JobProgress,
  { enriched, generated, snippets }: IndexReport,
  generate: GenerateDocs | undefined,
): void {
  if (enriched > 0) log(`The language model gave ${pluralize(enriched, 'snippet')} a title or a description.`)
  if (generated > 0) log(`The language model wrote ${pluralize(generated, 'snippet')} of documentation from source files.`)
  if (generated > 0 && generate?.whyStopped()) log('Add the library again with force to generate the rest.')
  if (generated === 0 && generate)
    log(`Nothing is generated${snippets < minDocumentedSnippets ? '' : ': the repository has documentation of its own'}.`)
}

/** A new version keeps what it shares with the default content. */
async function trackingOf(
  { catalog, job, limits, snippets }: JobRun,
  { ids }: Fetched,
  version: string,
  stored: StoredVersion | undefined,
): Promise<Tracking | undefined> {
  if (!ids) return undefined
  const of = { release: packageVersion(), format: snippets.format, fileBytes: limits.documents.fileBytes }
  const base = stored ?? (version === '' ? undefined : (await catalog.versions(job.library)).find((each) => each.version === ''))
  const isKept = base && !job.request.force && (await isReadable(snippets, base))
  return { ids, of, earlier: isKept ? { generation: base.generation, snippets } : undefined }
}

/** Returns undefined if the request does not ask for documentation, or no model is set. */
function generator(
  run: JobRun,
  fetched: Fetched,
  selection: CloneSelection,
  answers: KnownAnswers | undefined,
): GenerateDocs | undefined {
  const { job, limits, llm, progress } = run
  if (!job.request.generateDocs) return undefined
  if (!llm || !answers) {
    progress.log('No documentation is generated: no language model is set.')
    return undefined
  }
  return llmGenerateDocs({
    llm: llm.ask,
    answers,
    root: fetched.dir,
    selection,
    limits: limits.list,
    folder: join(fetched.folder, `written-${randomBytes(4).toString('hex')}`),
    onPage: () => progress.stage('Writing documentation from source files'),
  })
}

const filesOf = (report: IndexReport): string =>
  report.filesKept === 0 ? ` from ${pluralize(report.filesRead, 'file')}` : `, ${filesReadAndKept(report)}`

const tooSlow = (indexMs: number): AppError =>
  new AppError('timeout', `Reading and indexing took longer than ${indexMs / 60_000} minutes and was stopped.`)

/** Documentation of an earlier run stays while its language model is down. */
const incomplete = (cause: AppError, stored: StoredVersion): AppError =>
  new AppError(
    'no_snippets_found',
    `Not all documentation could be generated, so fewer than the current ${pluralize(stored.snippets, 'snippet')} would be served. ${cause.message} The old content stays.`,
    { cause, retry: cause.retry, retryAfterMs: cause.retryAfterMs },
  )

function tooGreatLoss({ job }: JobRun, { version, report }: Content, stored: StoredVersion): AppError {
  const name = printLibraryId({ ...job.library, ...(version.version === '' ? {} : { version: version.version }) })
  return new AppError(
    'no_snippets_found',
    `The new content has ${pluralize(report.snippets, 'snippet')}, ${name} has ${stored.snippets}: more than half would be lost. The old content stays; add the library again with force to accept the loss.`,
  )
}
