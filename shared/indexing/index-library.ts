import { jobLlm } from '../ai/job-llm.ts'
import { AppError } from '../errors.ts'
import { libraryKey, printLibraryId } from '../library.ts'
import { findRef } from '../reading/git/remote-refs.ts'
import { readerPool } from '../reading/reader-pool.ts'
import { fetchVersion } from './fetch-version.ts'
import { indexDefault } from './index-default.ts'
import type { IndexJob } from './index-job.ts'
import { indexVersion } from './index-version.ts'
import type { StoredVersion } from './indexing-catalog.ts'
import { isReadable } from './is-readable.ts'
import type { Content, IndexingPorts, JobProgress, JobRun, Outcome } from './job-run.ts'
import { openRepository } from './open-repository.ts'
import { emptyReport } from './pages/index-report.ts'
import { reportFolders } from './reject-missing-folders.ts'
import { addFailedVersion, addVersion, draftReport, finishReport } from './report-draft.ts'
import { resolveRequest, spellings } from './resolve-request.ts'
import { runOutcome } from './run-outcome.ts'
import { shareContent } from './share-content.ts'
import { outdatedCheck, type StoredVersions, sourceSettings, versionsToIndex } from './source-settings.ts'

/**
 * Repository → files → generations. Switches the library to each version as soon as that is ready. If the run fails before that, the old
 * content of the version stays served, and the sweep deletes the unpublished generation.
 */
export async function indexLibrary(
  ports: IndexingPorts,
  job: IndexJob,
  progress: JobProgress,
  signal: AbortSignal,
): Promise<Outcome> {
  const began = ports.now().getTime()
  const stored: StoredVersions = new Map((await ports.catalog.versions(job.library)).map((each) => [each.version, each]))
  const draft = draftReport(job, [...stored.values()])
  const elapsedMs = () => ports.now().getTime() - began
  const embedding = ports.embedding?.()
  const folder = await ports.clones.make(job.id)
  const readers = readerPool(ports.limits.read)
  const llm = openModel(ports, job, progress, signal)
  if (llm) draft.llmTokens = llm.ask.spent
  const stopReading = () => void readers.close()
  signal.addEventListener('abort', stopReading, { once: true })
  try {
    await rejectExisting(ports, job)
    const opened = await openRepository(ports, job.request, progress, signal)
    const request = resolveRequest(opened.remote, job.request, stored, await ports.catalog.settings(job.library))
    const resolved = { ...job, request }
    const run = { ...ports, ...opened, embedding, llm, job: resolved, progress, draft, signal, readers, folder }
    await indexVersions(run, stored)
    return { report: finishReport(draft, elapsedMs()) }
  } catch (error) {
    await llm?.ask.close()
    if (!signal.aborted && !willRetry(error, ports, job)) addFailedVersion(draft)
    return { error, report: finishReport(draft, elapsedMs()) }
  } finally {
    signal.removeEventListener('abort', stopReading)
    await readers.close()
    await ports.clones.discard(folder)
  }
}

/** Throws duplicate_repo if the library exists, unless an earlier attempt of this job added it. */
async function rejectExisting({ catalog }: Pick<IndexingPorts, 'catalog'>, { id, library, request }: IndexJob): Promise<void> {
  if (!request.adds || !(await catalog.find(library))) return
  if ((await catalog.versions(library)).some(({ generation }) => generation.startsWith(`g${id}-`))) return
  throw new AppError(
    'duplicate_repo',
    `${printLibraryId(library)} was added by another caller before this job. Parse it with an API key to replace it.`,
  )
}

function openModel(
  { llm, limits }: IndexingPorts,
  job: IndexJob,
  { log, spent }: JobProgress,
  signal: AbortSignal,
): JobRun['llm'] {
  try {
    const model = llm?.model()
    if (!llm || !model) return undefined
    const onSpent = (llmTokens: number) => spent?.({ llmTokens })
    const setup = { limits: limits.llm, spentTokens: (job.spent ?? job.report)?.llmTokens ?? 0, onSpent, signal, say: log }
    return { ask: jobLlm(model, setup), answers: llm.answers }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    log(`The language model is not used: ${error.message}`)
    return undefined
  }
}

async function indexVersions(run: JobRun, stored: StoredVersions): Promise<void> {
  const { job } = run
  const { facts, content, named, projectBranch } = await indexDefault(run, stored)
  const project = { named: spellings(run.remote, named), projectBranch }
  const settings = await sourceSettings(run, stored, project)
  const isOutdated = await outdatedCheck(run, stored)
  const publish = async (contents: Content[]) => {
    run.signal.throwIfAborted()
    await rejectExisting(run, job)
    await run.catalog.publish(
      { ...facts, settings },
      contents.map(({ version }) => version),
    )
    for (const each of contents) {
      run.llm?.answers(libraryKey(job.library), each.version.version, job.id).settle()
      const { filesRead, filesKept } = each.report
      addVersion(run.draft, { ...each.version, filesRead, filesKept }, each.skipped)
    }
  }
  await publish(content ? [content] : [])
  for (const [name, ref] of versionsToIndex(run, stored, settings)) {
    const other = await indexOther(run, name, ref, stored.get(name), isOutdated)
    if (!other) continue
    settings.outdated = settings.outdated.filter((each) => each !== name)
    await publish([other])
  }
}

/**
 * Returns undefined if the version is indexed already or cannot be indexed. The report gives the reason; the library does not
 * fail for it.
 */
async function indexOther(
  run: JobRun,
  name: string,
  ref: string,
  stored: StoredVersion | undefined,
  isOutdated: (version: string) => boolean,
): Promise<Content | undefined> {
  try {
    const { name: found, commit } = findRef(run.remote, ref)
    const isUnchanged = !isOutdated(name) && stored?.commit === commit
    if (isUnchanged && (await isReadable(run.snippets, stored))) return undefined
    const shared = await shareContent(run, { version: name, ref: found, commit, stored }, isOutdated)
    if (shared) return shared
    const fetched = await reportFolders(run, await fetchVersion(run, ref))
    const content = await indexVersion(run, fetched, name, stored)
    await run.clones.discard(fetched.folder)
    return content
  } catch (error) {
    run.signal.throwIfAborted()
    if (!(error instanceof AppError) || willRetry(error, run, run.job)) throw error
    run.progress.log(`Version ${name}: ${error.message}`)
    run.draft.current ??= { version: name, report: emptyReport(), skipped: [] }
    addFailedVersion(run.draft)
    run.draft.skipped.push({ path: `@${name}`, reason: error.message })
    return undefined
  }
}

const willRetry = (error: unknown, { limits }: Pick<IndexingPorts, 'limits'>, { attempts }: IndexJob): boolean =>
  error instanceof AppError &&
  runOutcome({ result: { error }, attempts, stopped: false }, { pausesMs: limits.retryPausesMs, retryUnexpected: false }).kind !==
    'failed'
