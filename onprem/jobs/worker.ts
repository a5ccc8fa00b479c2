import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '../../shared/errors.ts'
import type { JobReport } from '../../shared/indexing/index-job.ts'
import type { Outcome } from '../../shared/indexing/job-run.ts'
import type { Log } from '../../shared/log.ts'
import { fullDisk, isFullDisk } from '../../shared/system/full-disk.ts'
import type { JobState } from '../store/job.ts'
import { type ClaimedJob, type JobStore, maxPauseMs } from '../store/job-store.ts'
import { redactError } from '../support/redact-error.ts'
import { progressOf, type WorkProgress } from './work-progress.ts'

export type WorkerPorts = {
  jobs: JobStore
  log: Log
  now(): Date
  /** Pauses before the second, third … attempt of a job whose failure may pass by itself. */
  retryPausesMs: number[]
  /** Throws where the provider that a job waits for is still away. */
  providerAnswers(signal: AbortSignal): Promise<void>
  run(job: ClaimedJob, progress: WorkProgress, signal: AbortSignal): Promise<Outcome>
  /** After each job: what nobody serves any more is deleted. */
  sweep(): Promise<void>
  /** Remembers that the database is damaged, if that is what the error says. */
  noteDamage(error: unknown): void
}

/** Works the queue off, one job at a time. */
export type JobWorker = {
  /** Begins; until then jobs only wait. */
  start(): void
  /** Looks at the queue now. */
  wake(): void
  /** Ends a job that waits or runs; resolves when that is recorded. False where it is neither. */
  cancel(id: number): Promise<boolean>
  /** Puts the running job back into the queue and ends. */
  stop(): Promise<void>
}

const troubleMs = 5_000

export function jobWorker(given: WorkerPorts): JobWorker {
  const ports = { ...given, waits: new Map<number, number>() }
  const { jobs, log, noteDamage, waits } = ports
  const stopping = new AbortController()
  let started = false
  let timer: NodeJS.Timeout | undefined
  let current: { id: number; cancel: AbortController; recorded: Promise<void>; ended: Promise<void> } | undefined

  const wake = () => {
    clearTimeout(timer)
    if (!started || stopping.signal.aborted || current) return
    const job = jobs.claim()
    if (job) {
      const cancel = new AbortController()
      const recorded = work(ports, job, { stopped: stopping.signal, cancelled: cancel.signal })
      const ended = recorded
        .then(() => swept(ports))
        .finally(() => {
          current = undefined
          safely()
        })
      current = { id: job.id, cancel, recorded, ended }
      return
    }
    const due = jobs.nextDue()
    if (due) timer = setTimeout(safely, Math.min(60_000, Math.max(50, due.getTime() - ports.now().getTime())))
  }
  const safely = () => {
    try {
      wake()
    } catch (error) {
      noteDamage(error)
      log.error({ error }, 'the job queue cannot be read')
      timer = setTimeout(safely, troubleMs)
    }
  }

  return {
    start() {
      started = true
      safely()
    },
    wake: () => queueMicrotask(safely),
    async cancel(id) {
      const state = jobs.get(id)?.state
      if (current?.id === id && (state === 'parsing' || state === 'finalizing')) {
        const { cancel, recorded } = current
        cancel.abort()
        await recorded
        return jobs.get(id)?.state === 'cancelled'
      }
      if (state !== 'queued') return false
      jobs.finish(id, { state: 'cancelled' })
      waits.delete(id)
      return true
    },
    async stop() {
      stopping.abort()
      clearTimeout(timer)
      await current?.ended
    },
  }
}

/** How often each job was put off that waits for a provider. */
type RunPorts = WorkerPorts & { waits: Map<number, number> }

/** Why a run may have to end early: the server stops, or somebody cancels the job. */
type Ends = { stopped: AbortSignal; cancelled: AbortSignal }

async function work(ports: RunPorts, job: ClaimedJob, ends: Ends): Promise<void> {
  const { log, now } = ports
  const began = now().getTime()
  const outcome = await run(ports, job, AbortSignal.any([ends.stopped, ends.cancelled]))
  const state = await recorded(ports, job, ends, () => end(ports, job, ends, outcome))
  const done = outcome.report ? { files: outcome.report.filesRead, snippets: outcome.report.snippetsAfter } : {}
  if (ports.waits.has(job.id)) return
  log.info({ job: job.id, project: job.project, state, durationMs: now().getTime() - began, ...done }, 'job')
}

async function swept({ log, noteDamage, sweep }: WorkerPorts): Promise<void> {
  await sweep().catch((error: unknown) => {
    noteDamage(error)
    log.error({ error }, 'the sweep failed')
  })
}

async function run(ports: RunPorts, job: ClaimedJob, signal: AbortSignal): Promise<Outcome> {
  try {
    if (ports.waits.has(job.id)) await ports.providerAnswers(signal)
    ports.jobs.say(job.id, `Run ${job.attempts}${after(job)}.`)
    return await ports.run(job, progressOf(ports, job), signal)
  } catch (error) {
    return { error }
  }
}

function after({ interruptions }: ClaimedJob): string {
  if (interruptions === 0) return ''
  return interruptions === 1 ? ', after an interruption' : `, after ${interruptions} interruptions`
}

/** Writes down how a run ended, again and again where the disk is full: a job that nobody works on may not look as if it were. */
async function recorded(
  { log, noteDamage }: WorkerPorts,
  job: ClaimedJob,
  { stopped }: Ends,
  write: () => JobState,
): Promise<JobState | 'unrecorded'> {
  for (let told = false; ; told = true) {
    try {
      return write()
    } catch (error) {
      noteDamage(error)
      if (!told) log.error({ job: job.id, error }, 'the end of a job cannot be recorded yet')
    }
    if (stopped.aborted) return 'unrecorded'
    await sleep(troubleMs, undefined, { signal: stopped }).catch(() => undefined)
  }
}

function end(ports: RunPorts, job: ClaimedJob, ends: Ends, outcome: Outcome): JobState {
  const { jobs, log, now, retryPausesMs, waits } = ports
  const known = 'error' in outcome ? asAppError(outcome.error) : undefined
  const ended = ends.stopped.aborted || ends.cancelled.aborted
  if (known?.patient && !ended) return putOff(ports, job, known, outcome.report)
  waits.delete(job.id)
  if (!('error' in outcome)) {
    jobs.finish(job.id, { state: 'done', report: outcome.report })
    return 'done'
  }
  const { error, report } = outcome
  if (ends.stopped.aborted) {
    jobs.requeue(job.id, { dueAt: new Date(job.createdAt), attemptCounts: false, report })
    return 'queued'
  }
  if (ends.cancelled.aborted) {
    jobs.say(job.id, 'Cancelled.')
    jobs.finish(job.id, { state: 'cancelled', report })
    return 'cancelled'
  }
  if (known === undefined) log.error({ job: job.id, error }, 'a job failed unexpectedly')
  else log.warn({ job: job.id, project: job.project, attempt: job.attempts, error: redactError(error) }, 'a run of a job failed')
  const pause = retryPausesMs[job.attempts - 1]
  if (known?.transient && pause !== undefined) {
    const pauseMs = Math.max(pause, Math.min(known.retryAfterMs ?? 0, maxPauseMs))
    jobs.say(job.id, `${known.message} Trying again in ${Math.ceil(pauseMs / 10) / 100} s.`)
    jobs.requeue(job.id, { dueAt: new Date(now().getTime() + pauseMs), attemptCounts: true, report })
    return 'queued'
  }
  const { code, message } = known ?? unexpected
  jobs.say(job.id, `${code}: ${message}`)
  jobs.finish(job.id, { state: 'failed', report, error: `${code}: ${message}` })
  return 'failed'
}

/** However often: what the job waits for will come back. Said once. */
function putOff(
  { jobs, log, now, retryPausesMs, waits }: RunPorts,
  job: ClaimedJob,
  error: AppError,
  report?: JobReport,
): JobState {
  const times = waits.get(job.id) ?? 0
  const pauseMs = Math.min(maxPauseMs, Math.max((retryPausesMs[0] ?? maxPauseMs) * 2 ** times, error.retryAfterMs ?? 0))
  if (times === 0) {
    log.warn({ job: job.id, project: job.project, error: redactError(error) }, 'a job waits for its provider')
    jobs.say(job.id, `${error.message} The job waits, and tries again once a minute or sooner.`)
  }
  waits.set(job.id, times + 1)
  jobs.requeue(job.id, { dueAt: new Date(now().getTime() + pauseMs), attemptCounts: false, ...(report && { report }) })
  return 'queued'
}

const unexpected = new AppError('internal_error', 'The job failed unexpectedly. The log of the server has the details.')

function asAppError(error: unknown): AppError | undefined {
  if (error instanceof AppError) return error
  return isFullDisk(error) ? fullDisk('The old content stays; make room and retry the job.', error) : undefined
}
