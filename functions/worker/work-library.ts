import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { measuredStore } from '../../shared/bundle/measured-store.ts'
import { AppError } from '../../shared/errors.ts'
import { indexLibrary } from '../../shared/indexing/index-library.ts'
import type { IndexingPorts, Outcome } from '../../shared/indexing/job-run.ts'
import { loggedReport } from '../../shared/indexing/report-draft.ts'
import { runOutcome } from '../../shared/indexing/run-outcome.ts'
import { type LibraryId, libraryKey, parseLibraryId, readSourceId, sourceId } from '../../shared/library.ts'
import { type Log, logWith } from '../../shared/log.ts'
import { logProgress, type ShowProgress } from '../../shared/logging/show-progress.ts'
import { type TokenHost, tokenHosts } from '../../shared/reading/git/git-hosts.ts'
import { hostOf } from '../../shared/reading/git/repo-address.ts'
import { pluralize } from '../../shared/text/figures.ts'
import type { ConfluenceSites } from '../access/confluence-sites.ts'
import type { GitTokens } from '../access/git-tokens.ts'
import type { JobEnd } from '../catalog/catalog-changes.ts'
import type { HostedCatalog } from '../catalog/hosted-catalog.ts'
import type { ClaimedJob, HostedJobs, JobQueue } from '../jobs/hosted-jobs.ts'
import type { ObjectStore } from '../objects/object-store.ts'
import { fetchPageCopies, storePageCopies } from '../objects/stored-page-copies.ts'
import type { OptOuts } from '../takedown/opt-outs.ts'
import { disallowsIndexing } from '../takedown/read-wish.ts'
import { rebuildLibrary } from './rebuild-library.ts'
import { defaultTimes, type LeaseTimes, renewLease } from './renew-lease.ts'
import { reportProgress } from './report-progress.ts'

export type WorkerPorts = Omit<IndexingPorts, 'catalog' | 'confluenceCredentials'> & {
  catalog: HostedCatalog
  /** Those of teamspaces; `gitToken` returns those of the service. */
  gitTokens: Pick<GitTokens, 'find'>
  confluenceSites: Pick<ConfluenceSites, 'find'>
  jobs: HostedJobs
  optOuts: Pick<OptOuts, 'find'>
  queue: JobQueue
  /** Holds the copies of pages. */
  objects: Pick<ObjectStore, 'get' | 'put'>
  log: Log
  /** Makes changes to the catalog visible to searches. */
  publish(signal?: AbortSignal): Promise<void>
  /** The default writes the progress into the log. */
  showProgress?: ShowProgress
  leaseTimes?: LeaseTimes
  /** The job fails when more workers than this have died over it; 3 if undefined. */
  maxInterruptions?: number
}

/** `removed`: its owner does not allow to index it; `lost`: another worker has the job now; `none`: there was no job to do. */
export type Worked = 'finalized' | 'failed' | 'removed' | 'queued' | 'lost' | 'none'

const defaultMaxInterruptions = 3

/**
 * Runs the job of a library, from the claim to the outcome in the catalog. If the process dies on the way, the old content is still
 * served, and another worker can claim the job when its lease has expired. Throws store errors; the lease expires then, too.
 */
export async function workLibrary(ports: WorkerPorts, key: string, signal: AbortSignal): Promise<Worked> {
  const job = await ports.jobs.claim(key, randomUUID())
  return job ? workJob({ ...ports, log: logWith(ports.log, { request: job.requestId }) }, job, signal) : 'none'
}

async function workJob(ports: WorkerPorts, job: ClaimedJob, signal: AbortSignal): Promise<Worked> {
  const { log, now } = ports
  const began = now().getTime()
  const id = parseLibraryId(job.project)
  const lease = renewLease(ports, job, ports.leaseTimes ?? defaultTimes)
  try {
    const result = await run(ports, job, id, { ...lease, stopped: signal })
    const worked = lease.lost.aborted ? 'lost' : await settle(ports, job, id, result, signal)
    const done = result.report ? loggedReport(result.report) : {}
    log.info({ job: job.id, project: job.project, worked, durationMs: now().getTime() - began, ...done }, 'job')
    return worked
  } finally {
    await lease.end()
  }
}

/** A rebuild and a library that may not be indexed have no report. */
type Ran = Outcome | { report?: never; error?: never; isUnwanted?: boolean }

type LeaseState = Pick<ReturnType<typeof renewLease>, 'lost' | 'report'> & { stopped: AbortSignal }

async function run(ports: WorkerPorts, job: ClaimedJob, id: LibraryId, { lost, report, stopped }: LeaseState): Promise<Ran> {
  const maxInterruptions = ports.maxInterruptions ?? defaultMaxInterruptions
  let published: Promise<void> | undefined
  let shown: ReturnType<ShowProgress> | undefined
  try {
    await ports.catalog.begin(id, job.owner)
    published = publishOrLog(ports, stopped)
    if (job.interruptions > maxInterruptions) throw interruptedTooOften(job)
    if (await isUnwanted(ports, job)) return { isUnwanted: true }
    const { write, bundleBytes } = measuredStore(ports.snippets)
    const snippets = { ...ports.snippets, write }
    const writer = { worker: job.owner, bundleBytes }
    const { progress, figures } = reportProgress(report)
    shown = (ports.showProgress ?? logProgress(ports.log))(job, figures)
    const signal = AbortSignal.any([stopped, lost])
    if (job.request.rebuild) {
      await rebuildLibrary({ catalog: ports.catalog, snippets, stage: progress.stage }, job, id, writer, signal)
      return {}
    }
    const parsing = { ...ports, ...(await tokensFor(ports, job, id)), snippets, catalog: ports.catalog.parsing(id, writer) }
    return await withPageCopies(ports, job, id, signal, (pageCopies) =>
      indexLibrary({ ...parsing, pageCopies }, { ...job, library: id }, progress, signal),
    )
  } catch (error) {
    return { error }
  } finally {
    shown?.end()
    // The caller closes the stores when the worker has ended.
    await published
  }
}

/** Reads a source with the pages of its last reading at hand. Copies that cannot be fetched or stored cost requests, not the job. */
async function withPageCopies(
  { catalog, clones, log, objects }: WorkerPorts,
  { id: job, project, request }: ClaimedJob,
  id: LibraryId,
  signal: AbortSignal,
  index: (pageCopies?: () => string) => Promise<Outcome>,
): Promise<Outcome> {
  const kind = request.source?.kind
  if (kind !== 'website' && kind !== 'confluence') return index()
  const unlessItFails = async (transfer: (generation: string | undefined) => Promise<void>) => {
    try {
      await transfer((await catalog.record(id))?.versions.get('')?.generation)
    } catch (error) {
      log.warn({ project, error }, 'the copies of the pages of a library cannot be used')
    }
  }
  const ownFolder = await clones.make(job)
  const pages = join(ownFolder, 'pages')
  try {
    await unlessItFails((generation) => fetchPageCopies(objects, generation, pages, signal))
    const outcome = await index(() => pages)
    if (outcome.error === undefined) await unlessItFails((generation) => storePageCopies(objects, generation, pages, signal))
    return outcome
  } finally {
    await clones.discard(ownFolder)
  }
}

/** The tokens that a library may be read with. */
async function tokensFor(
  { catalog, confluenceSites, gitToken, gitTokens }: WorkerPorts,
  { request }: ClaimedJob,
  id: LibraryId,
): Promise<Pick<IndexingPorts, 'gitToken' | 'confluenceCredentials'>> {
  const { ownToken, teamspace } = (await catalog.record(id)) ?? {}
  if (request.source?.kind === 'confluence') {
    const stored = teamspace === undefined ? undefined : await confluenceSites.find(teamspace)
    return { gitToken, confluenceCredentials: (site) => (stored?.site === site ? stored : undefined) }
  }
  if (!ownToken) return { gitToken }
  const find = async (host: TokenHost) => [host, teamspace && (await gitTokens.find(teamspace, host))] as const
  const tokens = new Map<string, string | undefined>(await Promise.all(tokenHosts.map(find)))
  return { gitToken: (host) => tokens.get(host) || undefined }
}

/** True if the project file of a public repository says so. A host that does not show it does not stop the job. */
async function isUnwanted(ports: WorkerPorts, { project, request }: ClaimedJob): Promise<boolean> {
  if (!request.anonymous || request.rebuild || request.source) return false
  return disallowsIndexing(ports, request.repoUrl, ports.limits.probeMs).catch((error: unknown) => {
    ports.log.info({ project, error }, 'the project file of a library cannot be checked')
    return false
  })
}

async function settle(ports: WorkerPorts, job: ClaimedJob, id: LibraryId, result: Ran, stopped: AbortSignal): Promise<Worked> {
  const { jobs, log, now, queue } = ports
  const { error, report } = result
  const requeue = async (pauseMs: number, attemptCounts: boolean): Promise<Worked> => {
    const dueAt = new Date(now().getTime() + pauseMs)
    if (!(await jobs.requeue(job, { dueAt, attemptCounts, ...(report && { report }) }))) return 'lost'
    await queue.send(job.key, pauseMs, job.requestId)
    return 'queued'
  }
  // An error that is not an AppError mostly comes from a store over the network, and may pass.
  const rule = { pausesMs: ports.limits.retryPausesMs, retryUnexpected: true }
  const outcome = runOutcome({ result, attempts: job.attempts, stopped: stopped.aborted }, rule)
  if (outcome.kind === 'done') {
    const isRemoved = 'isUnwanted' in result && result.isUnwanted === true
    return isRemoved || (await isOptedOut(ports, job))
      ? removeUnwanted(ports, job, id)
      : conclude(ports, job, id, report ? { report } : {})
  }
  if (outcome.kind === 'stopped' || outcome.kind === 'cancelled') return requeue(0, false)
  if (error instanceof AppError)
    log.warn({ job: job.id, project: job.project, attempt: job.attempts, error }, 'a run of a job failed')
  else log.error({ job: job.id, project: job.project, error }, 'a job failed unexpectedly')
  if (outcome.kind === 'failed') return conclude(ports, job, id, { error: outcome.error.message, ...(report && { report }) })
  return requeue(outcome.pauseMs, outcome.kind === 'retry')
}

/**
 * Writes the outcome before the job is deleted: after a crash between the two, the job runs again and finds nothing new. Publishes last,
 * because the schedule publishes what this worker does not.
 */
async function conclude(
  { catalog, jobs, log, publish, snippets }: WorkerPorts,
  job: ClaimedJob,
  id: LibraryId,
  outcome: JobEnd,
): Promise<Worked> {
  const tried = job.request.rebuild ? { triedFormat: snippets.format } : {}
  const isMine = await catalog.end(id, job.owner, { ...outcome, ...tried }).catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'library_not_found') return true
    throw error
  })
  if (!isMine) return 'lost'
  await jobs.finish(job)
  await publishOrLog({ publish, log })
  return outcome.error === undefined ? 'finalized' : 'failed'
}

/** The owner or the operator may have said so while the job ran, also by the longer id of the repository. */
async function isOptedOut({ optOuts, gitHosts }: WorkerPorts, { key, request }: ClaimedJob): Promise<boolean> {
  if (!request.anonymous) return false
  const host = hostOf(request.repoUrl, gitHosts())
  const id = parseLibraryId(key)
  const keys = host && readSourceId(id) === undefined ? [key, libraryKey(sourceId(host.name, id))] : [key]
  const found = await Promise.all(keys.map((each) => optOuts.find(each)))
  return found.some((optOut) => optOut !== undefined)
}

/** The sweep deletes the content. */
async function removeUnwanted(ports: WorkerPorts, job: ClaimedJob, id: LibraryId): Promise<Worked> {
  const { catalog, jobs, log } = ports
  await catalog.remove(id).catch((error: unknown) => {
    if (!(error instanceof AppError) || error.code !== 'library_not_found') throw error
  })
  await jobs.finish(job)
  await publishOrLog(ports)
  log.info({ project: job.project }, 'a library was removed, because its owner does not allow to index it')
  return 'removed'
}

const publishOrLog = ({ publish, log }: Pick<WorkerPorts, 'publish' | 'log'>, signal?: AbortSignal): Promise<void> =>
  publish(signal).catch((error: unknown) => log.error({ error }, 'the catalog could not be published; the schedule will do it'))

const interruptedTooOften = ({ interruptions }: ClaimedJob): AppError =>
  new AppError(
    'library_too_large',
    `${pluralize(interruptions, 'worker')} died while reading the library: one of its files needs too much memory or time.`,
  )
