import { randomUUID } from 'node:crypto'
import { measuredStore } from '../../shared/bundle/measured-store.ts'
import { AppError } from '../../shared/errors.ts'
import { indexLibrary } from '../../shared/indexing/index-library.ts'
import type { IndexingPorts, Outcome } from '../../shared/indexing/job-run.ts'
import { type LibraryId, parseLibraryId } from '../../shared/library.ts'
import type { Log } from '../../shared/log.ts'
import { pluralize } from '../../shared/text/pluralize.ts'
import type { Ended } from '../catalog/catalog-changes.ts'
import type { HostedCatalog } from '../catalog/hosted-catalog.ts'
import type { ClaimedJob } from '../jobs/hosted-job.ts'
import type { HostedJobs } from '../jobs/hosted-jobs.ts'
import type { JobQueue } from '../jobs/job-queue.ts'
import { rebuildLibrary } from './rebuild-library.ts'
import { type LeaseTimes, renewLease, usualTimes } from './renew-lease.ts'
import { reportProgress } from './report-progress.ts'

export type WorkerPorts = Omit<IndexingPorts, 'catalog'> & {
  catalog: HostedCatalog
  jobs: HostedJobs
  queue: JobQueue
  log: Log
  /** Has searches see what has changed. */
  publish(signal?: AbortSignal): Promise<void>
  leaseTimes?: LeaseTimes
  /** So many workers may die over a job before it fails; 3 where nothing is said. */
  maxInterruptions?: number
}

/** `lost`: another worker has the job by now; `none`: there was nothing to do. */
export type Worked = 'finalized' | 'failed' | 'queued' | 'lost' | 'none'

const usualInterruptions = 3
/** Where a host asks for more, it is asked again all the same. */
const maxPauseMs = 60_000
const unexpected = 'The job failed unexpectedly. The log has the details.'

/**
 * Does the job of a library: from the claim to the outcome in the catalog. Whatever ends the process on the way leaves the old content
 * served, and the job to whoever claims it when its lease has lapsed. Throws what stores throw: the lease lapses then, too.
 */
export async function workLibrary(ports: WorkerPorts, key: string, signal: AbortSignal): Promise<Worked> {
  const { jobs, log, now } = ports
  const job = await jobs.claim(key, randomUUID())
  if (!job) return 'none'
  const began = now().getTime()
  const id = parseLibraryId(job.project)
  const lease = renewLease(ports, job, ports.leaseTimes ?? usualTimes)
  try {
    const outcome = await run(ports, job, id, { ...lease, stopped: signal })
    const worked = lease.lost.aborted ? 'lost' : await settle(ports, job, id, outcome, signal)
    const done = outcome.report ? { files: outcome.report.filesRead, snippets: outcome.report.snippetsAfter } : {}
    log.info({ job: job.id, project: job.project, worked, durationMs: now().getTime() - began, ...done }, 'job')
    return worked
  } finally {
    await lease.end()
  }
}

/** A rebuild has no report. */
type Ran = Outcome | { report?: never; error?: never }

type LeaseState = Pick<ReturnType<typeof renewLease>, 'lost' | 'tell'> & { stopped: AbortSignal }

async function run(ports: WorkerPorts, job: ClaimedJob, id: LibraryId, { lost, tell, stopped }: LeaseState): Promise<Ran> {
  const most = ports.maxInterruptions ?? usualInterruptions
  let published: Promise<void> | undefined
  try {
    await ports.catalog.begin(id, job.owner)
    published = publishOrLog(ports, stopped)
    if (job.interruptions > most) throw tooOften(job)
    const { write, bundleBytes } = measuredStore(ports.snippets)
    const snippets = { ...ports.snippets, write }
    const writer = { worker: job.owner, bundleBytes }
    const progress = reportProgress(tell)
    const signal = AbortSignal.any([stopped, lost])
    if (job.request.rebuild) {
      await rebuildLibrary({ catalog: ports.catalog, snippets, stage: progress.stage }, job, id, writer, signal)
      return {}
    }
    return await indexLibrary(
      { ...ports, snippets, catalog: ports.catalog.parsing(id, writer) },
      { ...job, library: id },
      progress,
      signal,
    )
  } catch (error) {
    return { error }
  } finally {
    // The caller may close the stores as soon as the worker has ended.
    await published
  }
}

async function settle(ports: WorkerPorts, job: ClaimedJob, id: LibraryId, outcome: Ran, stopped: AbortSignal): Promise<Worked> {
  const { jobs, log, now, queue } = ports
  if (!('error' in outcome)) return conclude(ports, job, id, outcome.report ? { report: outcome.report } : {})
  const { error, report } = outcome
  if (stopped.aborted) {
    const requeued = await jobs.requeue(job, { dueAt: now(), attemptCounts: false, report })
    if (requeued) await queue.send(job.key)
    return requeued ? 'queued' : 'lost'
  }
  if (error instanceof AppError)
    log.warn({ job: job.id, project: job.project, attempt: job.attempts, error }, 'a run of a job failed')
  else log.error({ job: job.id, project: job.project, error }, 'a job failed unexpectedly')
  const pauseMs = pauseAfter(error, job, ports.limits.retryPausesMs)
  if (pauseMs === undefined) {
    return conclude(ports, job, id, { error: error instanceof AppError ? error.message : unexpected, report })
  }
  const requeued = await jobs.requeue(job, { dueAt: new Date(now().getTime() + pauseMs), attemptCounts: true, report })
  if (requeued) await queue.send(job.key, pauseMs)
  return requeued ? 'queued' : 'lost'
}

/** First the outcome, then the job: who dies between the two leaves a job that finds nothing new. */
async function conclude(
  { catalog, jobs, log, publish, snippets }: WorkerPorts,
  job: ClaimedJob,
  id: LibraryId,
  outcome: Ended,
): Promise<Worked> {
  const tried = job.request.rebuild ? { triedFormat: snippets.format } : {}
  const isMine = await catalog.end(id, job.owner, { ...outcome, ...tried }).catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'library_not_found') return true
    throw error
  })
  if (!isMine) return 'lost'
  await publishOrLog({ publish, log })
  await jobs.finish(job)
  return outcome.error === undefined ? 'finalized' : 'failed'
}

const publishOrLog = ({ publish, log }: Pick<WorkerPorts, 'publish' | 'log'>, signal?: AbortSignal): Promise<void> =>
  publish(signal).catch((error: unknown) => log.error({ error }, 'the catalog could not be published; the schedule does it'))

/** What is no AppError is mostly a store that does not answer, which may pass as well. */
function pauseAfter(error: unknown, { attempts }: ClaimedJob, pausesMs: number[]): number | undefined {
  const known = error instanceof AppError ? error : undefined
  const pause = pausesMs[attempts - 1]
  if (known?.transient === false || pause === undefined) return undefined
  return Math.max(pause, Math.min(known?.retryAfterMs ?? 0, maxPauseMs))
}

const tooOften = ({ interruptions }: ClaimedJob): AppError =>
  new AppError(
    'library_too_large',
    `${pluralize(interruptions, 'worker')} died while it was read: some file of it needs too much.`,
  )
