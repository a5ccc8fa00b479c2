import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { KnownAnswers } from '../ai/known-answers.ts'
import { AppError } from '../errors.ts'
import { libraryKey, printLibraryId } from '../library.ts'
import { mergeSelection, type Selection } from '../reading/discover/selection.ts'
import type { SnippetStore } from '../search/snippet-store.ts'
import { pluralize } from '../text/pluralize.ts'
import { abortAfter } from '../time/abort-after.ts'
import { type EmbeddingStore, embeddingStore } from './embedding-store.ts'
import { llmEnrich } from './enrich.ts'
import { type GenerateDocs, llmGenerateDocs } from './generate-docs.ts'
import { emptyReport, indexFiles, minDocumentedSnippets } from './index-files.ts'
import type { StoredVersion } from './indexing-catalog.ts'
import { interruptibleStore } from './interruptible-store.ts'
import type { Content, Fetched, JobRun } from './job-run.ts'

/**
 * Writes what was fetched as a generation that nobody serves yet; `version` is '' for the default content. Throws no_snippets_found, also
 * where more than half of the `held` content would be lost and that is not forced.
 */
export async function indexVersion(
  run: JobRun,
  fetched: Fetched,
  version: string,
  held: StoredVersion | undefined,
): Promise<Content> {
  const { job, catalog, progress, readers, remote, limits, draft, llm } = run
  const { ref, commit, project } = fetched
  const generation = `g${job.id}-${randomBytes(6).toString('hex')}`
  await catalog.reserve(generation, job.id, version)
  const reading = progress.reading(version)
  const work = {
    root: fetched.dir,
    address: remote.address,
    commit,
    selection: mergeSelection(job.request, project),
    limits: { ...limits.documents, list: limits.list },
    generation,
    suspects: reading.suspects,
  }
  const report = emptyReport()
  const answers = llm?.answers(libraryKey(run.id), version, job.id)
  const enrich = llm && answers && llmEnrich(llm.ask, answers)
  const generate = generator(run, fetched, work.selection, answers)
  if (job.request.generateDocs && !generate)
    report.skipped.push({ path: 'generateDocs', reason: 'no documentation is generated: no language model is set' })
  draft.current = { version, report, skipped: fetched.skipped }
  let store: EmbeddingStore | undefined
  const { indexMs } = run.limits
  // A slow provider is not the library's fault.
  const waitedMs = () => store?.waitedMs() ?? 0
  try {
    await abortAfter({ maxMs: indexMs, error: () => tooSlow(indexMs), excludedMs: waitedMs }, async (late) => {
      const signal = AbortSignal.any([run.signal, late])
      store = embedded(interruptibleStore(run, signal), run, signal)
      return indexFiles({ snippets: store, readers, progress: reading, enrich, generate }, work, signal, report)
    })
  } finally {
    draft.textsEmbedded += store?.textsEmbedded() ?? 0
    await readers.rest()
  }
  const content = {
    report,
    skipped: [...fetched.skipped, ...report.skipped],
    version: {
      version,
      ref,
      generation,
      commit,
      rules: project.rules ?? [],
      tokens: report.tokens,
      snippets: report.snippets,
      codeSnippets: report.codeSnippets,
      space: store?.space(),
      language: report.language,
      format: run.snippets.format,
    },
  }
  if (held && !job.request.force && report.snippets * 2 < held.snippets) throw loss(run, content, held)
  const unwritten = generate?.whyStopped()
  if (held && unwritten && !job.request.force && report.snippets < held.snippets) throw lossFor(unwritten, held)
  if (report.enriched > 0)
    progress.log(`The language model gave ${pluralize(report.enriched, 'snippet')} a title or a description.`)
  if (report.generated > 0)
    progress.log(`The language model wrote ${pluralize(report.generated, 'snippet')} of documentation from source files.`)
  if (unwritten && report.generated > 0) progress.log('Parse it with force to have the rest written.')
  if (generate && report.generated === 0)
    progress.log(
      `Nothing is generated${report.snippets < minDocumentedSnippets ? '' : ': the repository has documentation of its own'}.`,
    )
  progress.log(
    `${version === '' ? ref : version}: ${pluralize(report.snippets, 'snippet')} from ${pluralize(report.filesRead, 'file')}, ${content.skipped.length} skipped.`,
  )
  return content
}

/** Undefined where it is not asked for. */
function generator(
  run: JobRun,
  fetched: Fetched,
  selection: Selection,
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

const embedded = (
  store: Pick<SnippetStore, 'write'>,
  { id, embedding, progress, draft }: JobRun,
  signal: AbortSignal,
): EmbeddingStore =>
  embedding
    ? embeddingStore(store, embedding, libraryKey(id), signal, (texts) =>
        progress.spent?.({ textsEmbedded: draft.textsEmbedded + texts }),
      )
    : { ...store, space: () => undefined, textsEmbedded: () => 0, waitedMs: () => 0 }

const tooSlow = (indexMs: number): AppError =>
  new AppError('timeout', `Reading and indexing took longer than ${indexMs / 60_000} minutes and was given up.`)

/** A language model that is down now takes nothing away that it has written before. */
const lossFor = (cause: AppError, held: StoredVersion): AppError =>
  new AppError(
    'no_snippets_found',
    `Not all documentation could be generated, and less of it would be served than the ${pluralize(held.snippets, 'snippet')} that are there. ${cause.message} The old content stays.`,
    { cause, transient: cause.transient, retryAfterMs: cause.retryAfterMs },
  )

function loss({ id }: JobRun, { version, report }: Content, held: StoredVersion): AppError {
  const name = printLibraryId({ ...id, ...(version.version === '' ? {} : { version: version.version }) })
  return new AppError(
    'no_snippets_found',
    `The new content has ${pluralize(report.snippets, 'snippet')} where ${name} has ${held.snippets}: more than half would be lost. The old content stays; parse with force to accept the loss.`,
  )
}
