import { jobLlm } from '../ai/job-llm.ts'
import { AppError } from '../errors.ts'
import { libraryKey, parseLibraryId } from '../library.ts'
import { openRemote } from '../reading/git/probe-git.ts'
import { findRef } from '../reading/git/remote-refs.ts'
import { parseRepoUrl, type RepoAddress } from '../reading/git/repo-address.ts'
import { readerPool } from '../reading/reader-pool.ts'
import { fetchVersion } from './fetch-version.ts'
import { indexDefault } from './index-default.ts'
import { emptyReport } from './index-files.ts'
import type { IndexJob } from './index-job.ts'
import { indexVersion } from './index-version.ts'
import type { StoredVersion } from './indexing-catalog.ts'
import { isReadable } from './is-readable.ts'
import type { Content, IndexingPorts, JobProgress, JobRun, OpenRemote, Outcome } from './job-run.ts'
import { addFailedVersion, addVersion, draftReport, finishReport } from './report-draft.ts'
import { shareContent } from './share-content.ts'
import { outdatedCheck, type StoredVersions, sourceSettings, versionsToIndex } from './source-settings.ts'

/**
 * Repository → files → generations. The library is switched to each version when that is ready; whatever goes wrong before leaves the old
 * content of the version served, and what was written until then is of no ended job and is swept.
 */
export async function indexLibrary(
  ports: IndexingPorts,
  job: IndexJob,
  progress: JobProgress,
  signal: AbortSignal,
): Promise<Outcome> {
  const began = ports.now().getTime()
  const id = parseLibraryId(job.project)
  const held: StoredVersions = new Map((await ports.catalog.versions(id)).map((each) => [each.version, each]))
  const draft = draftReport(job, [...held.values()])
  const lasted = () => ports.now().getTime() - began
  const embedding = ports.embedding?.()
  const folder = await ports.clones.make(job.id)
  const readers = readerPool(ports.limits.read)
  const llm = modelOf(ports, job, progress, signal)
  if (llm) draft.llmTokens = llm.ask.spent
  const stopReading = () => void readers.close()
  signal.addEventListener('abort', stopReading, { once: true })
  try {
    await refuseExisting(ports, job)
    const remoted = await open(ports, job, progress, signal)
    await indexVersions({ ...ports, ...remoted, embedding, llm, job, id, progress, draft, signal, readers, folder }, held)
    return { report: finishReport(draft, lasted()) }
  } catch (error) {
    await llm?.ask.close()
    if (!signal.aborted && !isTriedAgain(error, ports, job)) addFailedVersion(draft)
    return { error, report: finishReport(draft, lasted()) }
  } finally {
    signal.removeEventListener('abort', stopReading)
    await readers.close()
    await ports.clones.discard(folder)
  }
}

/** An earlier attempt of the job may have added the library. */
async function refuseExisting({ catalog }: Pick<IndexingPorts, 'catalog'>, { id, project, request }: IndexJob): Promise<void> {
  const library = parseLibraryId(project)
  if (!request.adds || !(await catalog.find(library))) return
  if ((await catalog.versions(library)).some(({ generation }) => generation.startsWith(`g${id}-`))) return
  throw new AppError(
    'duplicate_repo',
    `${project} was added by another caller before this job. Parse it with an API key to replace it.`,
  )
}

function modelOf({ llm, limits }: IndexingPorts, job: IndexJob, { log, spent }: JobProgress, signal: AbortSignal): JobRun['llm'] {
  try {
    const model = llm?.model()
    if (!llm || !model) return undefined
    const onSpent = (llmTokens: number) => spent?.({ llmTokens })
    const setup = { limits: limits.llm, spentTokens: (job.spent ?? job.report)?.llmTokens ?? 0, onSpent, signal, say: log }
    return { ask: jobLlm(model, setup), answers: llm.answers }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    log(`The language model is not asked: ${error.message}`)
    return undefined
  }
}

async function open(ports: IndexingPorts, job: IndexJob, progress: JobProgress, signal: AbortSignal): Promise<OpenRemote> {
  const { gitAccess, gitHosts, gitToken, limits } = ports
  const tokenOf = ({ platform }: RepoAddress) => (job.request.anonymous ? undefined : gitToken(platform))
  const address = parseRepoUrl(job.request.repoUrl, gitHosts())
  progress.stage('Asking the host for branches and tags')
  const remote = await openRemote(address, {
    ...gitAccess,
    timeMs: limits.probeMs,
    signal,
    // Opened when it is needed: a public repository is read although the stored token cannot be.
    get token() {
      return tokenOf(address)
    },
  })
  if (remote.moved) progress.log(`The repository has moved to ${remote.address.webUrl}; it is read from there.`)
  return { remote, token: remote.isPublic ? undefined : tokenOf(address) }
}

async function indexVersions(run: JobRun, held: StoredVersions): Promise<void> {
  const { facts, content, named } = await indexDefault(run, held)
  const settings = await sourceSettings(run, held, named)
  const outdated = await outdatedCheck(run, held)
  const publish = async (contents: Content[]) => {
    run.signal.throwIfAborted()
    await refuseExisting(run, run.job)
    await run.catalog.publish(
      { ...facts, settings },
      contents.map(({ version }) => version),
    )
    for (const each of contents) {
      run.llm?.answers(libraryKey(run.id), each.version.version, run.job.id).settle()
      addVersion(run.draft, { ...each.version, filesRead: each.report.filesRead }, each.skipped)
    }
  }
  await publish(content ? [content] : [])
  for (const [name, ref] of versionsToIndex(run, held, settings)) {
    const other = await indexOther(run, name, ref, held.get(name), outdated)
    if (!other) continue
    settings.outdated = settings.outdated.filter((each) => each !== name)
    await publish([other])
  }
}

/** Undefined where the version is indexed already, or cannot be: the report tells why, and the library does not fail for it. */
async function indexOther(
  run: JobRun,
  name: string,
  ref: string,
  held: StoredVersion | undefined,
  outdated: (version: string) => boolean,
): Promise<Content | undefined> {
  try {
    const { name: found, commit } = findRef(run.remote, ref)
    const unchanged = !outdated(name) && held?.commit === commit
    if (unchanged && (await isReadable(run.snippets, held))) return undefined
    const shared = await shareContent(run, { version: name, ref: found, commit, held }, outdated)
    if (shared) return shared
    const fetched = await fetchVersion(run, ref)
    const content = await indexVersion(run, fetched, name, held)
    await run.clones.discard(fetched.folder)
    return content
  } catch (error) {
    run.signal.throwIfAborted()
    if (!(error instanceof AppError) || isTriedAgain(error, run, run.job)) throw error
    run.progress.log(`Version ${name}: ${error.message}`)
    run.draft.current ??= { version: name, report: emptyReport(), skipped: [] }
    addFailedVersion(run.draft)
    run.draft.skipped.push({ path: `@${name}`, reason: error.message })
    return undefined
  }
}

const isTriedAgain = (error: unknown, { limits }: Pick<IndexingPorts, 'limits'>, { attempts }: IndexJob): boolean =>
  error instanceof AppError && (error.patient || (error.transient && attempts <= limits.retryPausesMs.length))
