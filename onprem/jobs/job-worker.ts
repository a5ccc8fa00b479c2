import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '../../shared/errors.ts'
import type { Outcome } from '../../shared/indexing/job-run.ts'
import { loggedReport } from '../../shared/indexing/report-draft.ts'
import { runOutcome } from '../../shared/indexing/run-outcome.ts'
import type { Log } from '../../shared/log.ts'
import type { JobFigures } from '../../shared/logging/show-progress.ts'
import { isFullDisk } from '../../shared/system/full-disk.ts'
import { UnusablePath } from '../../shared/system/machine-error.ts'
import { maxPauseMs } from '../../shared/time/job-pauses.ts'
import type { DataPaths } from '../store/data-dir/data-paths.ts'
import type { DiskGuard } from '../store/data-dir/disk-guard.ts'
import type { DiskReserve } from '../store/data-dir/disk-reserve.ts'
import type { ClaimedJob, Job, JobState } from '../store/jobs/job.ts'
import type { JobStore } from '../store/jobs/job-store.ts'
import { redactError } from '../support/redact-error.ts'
import { type WorkProgress, workProgress } from './work-progress.ts'

/** How a job ended, and why it failed. */
export type JobEnd = { state: 'done' | 'failed' | 'cancelled'; error?: string }

export type WorkerPorts = {
  jobs: Omit<JobStore, 'enqueue' | 'enqueueAll' | 'unserved'>
  log: Log
  now(): Date
  disk: DiskGuard
  reserve: Pick<DiskReserve, 'use'>
  /** Runs synchronous work as one transaction. */
  atomically<Result>(work: () => Result): Result
  paths: Pick<DataPaths, 'explain'>
  /** The interval between two checks of the disk while jobs wait for space. */
  diskCheckMs: number
  /** The unfinished jobs wait for disk space, or no longer do. */
  waitsChanged(): void
  /** Pauses before the second, third … attempt of a job whose failure a retry may fix. */
  retryPausesMs: number[]
  /** Throws if the provider that a job waits for still does not respond. */
  providerAnswers(signal: AbortSignal): Promise<void>
  /** `pause` asks a re-index to make way for another job. */
  run(job: ClaimedJob, progress: WorkProgress, signal: AbortSignal, pause: AbortSignal): Promise<Outcome>
  /** Runs in the transaction that records the end of a job. */
  ended(id: number, end: JobEnd): void
  showProgress(job: ClaimedJob, figures: () => JobFigures): { end(): void }
  /** Runs after each job: deletes content that is no longer served. */
  sweep(): Promise<void>
  /** Remembers that the database is damaged, if the error is about that. */
  noteDamage(error: unknown): void
}

/** Runs the queued jobs, one at a time. A re-index pauses as soon as another job is due. */
export type JobWorker = {
  /** Starts running the queued jobs, or only these. */
  start(only?: readonly number[]): void
  /** Checks the queue now. */
  wake(): void
  /** Cancels a queued or running job and resolves when that is stored, with what `record` writes. False if the job has ended. */
  cancel(id: number, record?: () => void): Promise<boolean>
  /** Puts the running job back into the queue and stops. */
  stop(): Promise<void>
}

/** The time for requests in flight to end before a job pauses. */
const maxPausingMs = 10_000
const retryMs = 5_000
const maxRetryMs = 60_000
const retryPause = (failures: number): number => Math.min(maxRetryMs, retryMs * 2 ** failures)

export function jobWorker(workerPorts: WorkerPorts): JobWorker {
  const ports = { ...workerPorts, waits: new Map<number, number>() }
  const { disk, jobs, log, noteDamage, waits } = ports
  const stopping = new AbortController()
  let started = false
  let ids: readonly number[] | undefined
  let waitsForDisk = false
  let timer: NodeJS.Timeout | undefined
  let current:
    | {
        id: number
        kind: Job['kind']
        cancel: AbortController
        pause: AbortController
        cancelling: Cancelling
        recorded: Promise<void>
        ended: Promise<void>
      }
    | undefined

  const wake = () => {
    clearTimeout(timer)
    if (!started || stopping.signal.aborted) return
    if (current) return makeWay()
    const shortage = jobs.nextDue(ids) && disk.shortage()
    noteShortage(shortage)
    if (shortage !== undefined) {
      timer = setTimeout(safeWake, ports.diskCheckMs)
      return
    }
    const job = jobs.claim(ids)
    if (job) {
      const [cancel, pause] = [new AbortController(), new AbortController()]
      const cancelling: Cancelling = {}
      const ends = { stopped: stopping.signal, cancelled: cancel.signal, paused: pause.signal, cancelling }
      const recorded = work(ports, job, ends)
      const ended = recorded
        .then(() => sweepContent(ports))
        .finally(() => {
          current = undefined
          safeWake()
        })
      current = { id: job.id, kind: job.kind, cancel, pause, cancelling, recorded, ended }
      return makeWay()
    }
    wakeAt(jobs.nextDue(ids))
  }
  const wakeAt = (due: Date | undefined) => {
    if (due) timer = setTimeout(safeWake, Math.min(60_000, Math.max(50, due.getTime() - ports.now().getTime())))
  }
  /** Pauses a running re-index if another job is due. */
  const makeWay = () => {
    if (current?.kind !== 'reindex' || current.pause.signal.aborted) return
    const due = jobs.nextFirst(ids)
    if (due && due <= ports.now()) current.pause.abort(new Paused())
    else wakeAt(due)
  }
  const noteShortage = (shortage: string | undefined) => {
    if (waitsForDisk === (shortage !== undefined)) return
    waitsForDisk = !waitsForDisk
    if (waitsForDisk) log.warn({ shortage }, 'jobs wait for disk space')
    else log.info({}, 'no job waits for disk space any more')
    ports.waitsChanged()
  }
  let failures = 0
  const safeWake = () => {
    try {
      wake()
      if (failures > 0) log.info({}, 'the job queue can be used again')
      failures = 0
    } catch (error) {
      noteDamage(error)
      if (failures === 0) log.error({ error }, 'the job queue cannot be used yet')
      timer = setTimeout(safeWake, retryPause(failures++))
    }
  }

  return {
    start(only) {
      started = true
      ids = only
      safeWake()
    },
    wake: () => queueMicrotask(safeWake),
    async cancel(id, record) {
      const state = jobs.get(id)?.state
      if (current?.id === id && (state === 'parsing' || state === 'finalizing')) {
        const { cancel, cancelling, recorded } = current
        cancelling.record ??= record
        cancel.abort()
        await recorded
        return jobs.get(id)?.state === 'cancelled'
      }
      if (state !== 'queued') return false
      jobs.finish(id, { state: 'cancelled' }, () => {
        record?.()
        ports.ended(id, { state: 'cancelled' })
      })
      waits.delete(id)
      return true
    },
    async stop() {
      stopping.abort()
      clearTimeout(timer)
      if (current) noteStop(ports, current.id)
      await current?.ended
    },
  }
}

function noteStop({ jobs, log, noteDamage }: WorkerPorts, job: number): void {
  try {
    jobs.stopping(job)
  } catch (error) {
    noteDamage(error)
    log.warn({ job, error }, 'the stop cannot be recorded, so it may look like an interruption of the job')
  }
}

/** `waits`: how often each job that waits for a provider was postponed. */
type RunPorts = WorkerPorts & { waits: Map<number, number> }

/** Reasons to end a run early: the server stops, the job is cancelled, or it makes way for another one. */
type Ends = { stopped: AbortSignal; cancelled: AbortSignal; paused: AbortSignal; cancelling: Cancelling }

class Paused extends Error {}

/** `record` writes the audit entry of the caller who cancels a job. It runs when the job ends. */
type Cancelling = { record?: (() => void) | undefined }

async function work(ports: RunPorts, job: ClaimedJob, ends: Ends): Promise<void> {
  const { log, now } = ports
  const began = now().getTime()
  const outcome = await run(ports, job, ends)
  const state = await recorded(ports, job, ends.stopped, () => end(ports, job, ends, outcome))
  const done = outcome.report ? loggedReport(outcome.report) : {}
  if (ports.waits.has(job.id)) return
  log.info({ job: job.id, project: job.project, state, durationMs: now().getTime() - began, ...done }, 'job')
}

async function sweepContent({ log, noteDamage, sweep }: WorkerPorts): Promise<void> {
  await sweep().catch((error: unknown) => {
    noteDamage(error)
    log.error({ error }, 'the sweep failed')
  })
}

async function run(ports: RunPorts, job: ClaimedJob, { stopped, cancelled, paused }: Ends): Promise<Outcome> {
  const late = new AbortController()
  const signal = AbortSignal.any([stopped, cancelled, late.signal])
  let lateTimer: NodeJS.Timeout | undefined
  const onPause = () => {
    lateTimer = setTimeout(() => late.abort(paused.reason), maxPausingMs)
  }
  paused.addEventListener('abort', onPause, { once: true })
  const { progress, figures } = workProgress(ports, job)
  const shown = ports.showProgress(job, figures)
  try {
    if (ports.waits.has(job.id)) await ports.providerAnswers(AbortSignal.any([signal, paused]))
    await recorded(ports, job, signal, () => ports.jobs.addLogLine(job.id, `Run ${job.attempts}${after(job)}.`))
    signal.throwIfAborted()
    return await ports.run(job, progress, signal, paused)
  } catch (error) {
    return { error }
  } finally {
    clearTimeout(lateTimer)
    shown.end()
  }
}

function after({ interruptions }: ClaimedJob): string {
  if (interruptions === 0) return ''
  return interruptions === 1 ? ', after an interruption' : `, after ${interruptions} interruptions`
}

/**
 * Records the begin or the end of a run as a whole, on a full disk in reserved space. Retries while there is none, so that a job that ended does not
 * stay in the list as running.
 */
async function recorded<Written>(
  { atomically, log, noteDamage, reserve }: WorkerPorts,
  job: ClaimedJob,
  signal: AbortSignal,
  write: () => Written,
): Promise<Written | 'unrecorded'> {
  for (let failures = 0; ; failures++) {
    try {
      const written = await reserve.use(() => atomically(write))
      if (failures > 0) log.info({ job: job.id }, 'the job can be recorded again')
      return written
    } catch (error) {
      noteDamage(error)
      if (failures === 0) log.error({ job: job.id, error }, 'a job cannot be recorded yet')
    }
    if (signal.aborted) return 'unrecorded'
    await sleep(retryPause(failures), undefined, { signal }).catch(() => undefined)
  }
}

/** Writes the outcome of a run to the job. */
function end(ports: RunPorts, job: ClaimedJob, ends: Ends, run: Outcome): JobState {
  const { jobs, log, now, retryPausesMs, waits } = ports
  const ended = (how: JobEnd) => () => ports.ended(job.id, how)
  const { report } = run
  const result = 'error' in run ? { error: ports.paths.explain(run.error), report } : run
  const waited = waits.get(job.id) ?? 0
  const endedRun = {
    result,
    attempts: job.attempts,
    waits: waited,
    stopped: ends.stopped.aborted || (ends.paused.aborted && !ends.cancelled.aborted),
    cancelled: ends.cancelled.aborted,
  }
  const outcome = runOutcome(endedRun, { pausesMs: retryPausesMs, retryUnexpected: false })
  if (outcome.kind !== 'wait') waits.delete(job.id)
  const logFailure = () => {
    const thrown = 'error' in run ? run.error : undefined
    if (thrown instanceof AppError || isFullDisk(thrown) || result.error instanceof UnusablePath)
      log.warn(
        { job: job.id, project: job.project, attempt: job.attempts, error: redactError(result.error) },
        'a run of a job failed',
      )
    else log.error({ job: job.id, error: thrown }, 'a job failed unexpectedly')
  }
  const requeue = (pauseMs: number, attemptCounts: boolean, reason: string) =>
    jobs.requeue(job.id, { dueAt: new Date(now().getTime() + pauseMs), attemptCounts, report, reason })
  switch (outcome.kind) {
    case 'done':
      jobs.finish(job.id, { state: 'done', report }, ended({ state: 'done' }))
      return 'done'
    case 'stopped':
      if (ends.paused.aborted) jobs.addLogLine(job.id, 'Another job goes first.')
      jobs.requeue(job.id, { dueAt: new Date(job.createdAt), attemptCounts: false, report })
      return 'queued'
    case 'cancelled':
      jobs.addLogLine(job.id, 'Cancelled.')
      jobs.finish(job.id, { state: 'cancelled', report }, () => {
        ends.cancelling.record?.()
        ports.ended(job.id, { state: 'cancelled' })
      })
      return 'cancelled'
    case 'wait':
      if (waited === 0) {
        log.warn({ job: job.id, project: job.project, error: redactError(outcome.error) }, 'a job waits for its provider')
        jobs.addLogLine(job.id, `${outcome.error.message} ${retriesIn(outcome.pauseMs)}`)
      }
      waits.set(job.id, waited + 1)
      requeue(outcome.pauseMs, false, outcome.error.message)
      return 'queued'
    case 'retry':
      logFailure()
      jobs.addLogLine(job.id, `${outcome.error.message} Trying again in ${Math.ceil(outcome.pauseMs / 10) / 100} s.`)
      requeue(outcome.pauseMs, true, outcome.error.message)
      return 'queued'
    case 'failed': {
      logFailure()
      const { code, message } = outcome.error
      jobs.addLogLine(job.id, `${code}: ${message}`)
      jobs.finish(job.id, { state: 'failed', report, error: `${code}: ${message}` }, ended({ state: 'failed', error: message }))
      return 'failed'
    }
  }
}

const retriesIn = (pauseMs: number): string =>
  pauseMs > maxPauseMs
    ? `The job waits for a change of the settings, and retries after ${Math.round(pauseMs / 60_000)} minutes.`
    : 'The job waits and retries at least once a minute.'
