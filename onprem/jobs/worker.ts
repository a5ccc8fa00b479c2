import { AppError } from '../../shared/errors.ts'
import type { Log } from '../../shared/log.ts'
import type { JobReport } from './job.ts'
import type { ClaimedJob, JobStore } from './job-store.ts'
import type { JobProgress } from './parse-library.ts'

export type WorkerPorts = {
  jobs: JobStore
  log: Log
  now(): Date
  run(job: ClaimedJob, progress: JobProgress, signal: AbortSignal): Promise<JobReport>
  /** After each job: what nobody serves any more is deleted. */
  sweep(): Promise<void>
}

/** Works the queue off, one job at a time. */
export type JobWorker = {
  /** Looks at the queue now. */
  wake(): void
  /** Ends a job that waits or runs; resolves when it has ended. False where it is neither. */
  cancel(id: number): Promise<boolean>
  /** Puts the running job back into the queue and ends. */
  stop(): Promise<void>
}

/** Pauses before the second, third and fourth attempt: all within two minutes. */
const pausesMs = [5_000, 15_000, 45_000]
/** After so many interruptions a file that was in flight is read alone, in a process of its own. */
const interruptionsBeforeSuspicion = 3
const reportEveryMs = 200

export function startWorker(ports: WorkerPorts): JobWorker {
  const { jobs, log } = ports
  let stopped = false
  let timer: NodeJS.Timeout | undefined
  let current: { id: number; abort: AbortController; ended: Promise<void> } | undefined

  const wake = () => {
    clearTimeout(timer)
    if (stopped || current) return
    const job = jobs.claim()
    if (job) {
      const abort = new AbortController()
      const ended = work(ports, job, abort.signal).finally(() => {
        current = undefined
        wake()
      })
      current = { id: job.id, abort, ended }
      return
    }
    const due = jobs.nextDue()
    if (due) timer = setTimeout(safely, Math.min(60_000, Math.max(50, due.getTime() - ports.now().getTime())))
  }
  const safely = () => {
    try {
      wake()
    } catch (error) {
      log.error({ error }, 'the job queue cannot be read')
      timer = setTimeout(safely, 5_000)
    }
  }

  return {
    wake: () => queueMicrotask(safely),
    async cancel(id) {
      if (current?.id === id) {
        const { abort, ended } = current
        abort.abort(new Cancelled())
        await ended
        return true
      }
      if (jobs.get(id)?.state !== 'queued') return false
      jobs.finish(id, { state: 'cancelled' })
      return true
    },
    async stop() {
      stopped = true
      clearTimeout(timer)
      current?.abort.abort(new Stopped())
      await current?.ended
    },
  }
}

class Cancelled extends Error {}
class Stopped extends Error {}

async function work(ports: WorkerPorts, job: ClaimedJob, signal: AbortSignal): Promise<void> {
  const { jobs, log, now } = ports
  const began = now().getTime()
  const line = (state: string, more: Record<string, unknown> = {}) =>
    log.info({ job: job.id, project: job.project, state, durationMs: now().getTime() - began, ...more }, 'job')
  try {
    jobs.say(job.id, `Run ${job.attempts}${job.interruptions > 0 ? `, after ${job.interruptions} interruptions` : ''}.`)
    const report = await ports.run(job, progressOf(ports, job), signal)
    jobs.finish(job.id, { state: 'done', report })
    line('done', { files: report.filesRead, snippets: report.snippetsAfter })
  } catch (error) {
    try {
      line(end(ports, job, signal, error))
    } catch (failure) {
      log.error({ job: job.id, error: failure }, 'the end of a job cannot be recorded')
    }
  }
  await ports.sweep().catch((error: unknown) => log.error({ error }, 'the sweep failed'))
}

/** Records why a run ended without a result, and answers the state of its job. */
function end({ jobs, log, now }: WorkerPorts, job: ClaimedJob, signal: AbortSignal, error: unknown): string {
  if (signal.reason instanceof Stopped) {
    jobs.requeue(job.id, { dueAt: new Date(job.createdAt), attemptCounts: false })
    return 'queued'
  }
  if (signal.reason instanceof Cancelled) {
    jobs.say(job.id, 'Cancelled.')
    jobs.finish(job.id, { state: 'cancelled' })
    return 'cancelled'
  }
  const message = sentence(error)
  if (message === undefined) log.error({ job: job.id, error }, 'a job failed unexpectedly')
  const pause = pausesMs[job.attempts - 1]
  if (error instanceof AppError && error.transient && pause !== undefined) {
    jobs.say(job.id, `${error.message} Trying again in ${pause / 1000} s.`)
    jobs.requeue(job.id, { dueAt: new Date(now().getTime() + pause), attemptCounts: true })
    return 'queued'
  }
  jobs.say(job.id, message ?? 'Failed unexpectedly.')
  jobs.finish(job.id, {
    state: 'failed',
    error: message ?? 'The job failed unexpectedly. The log of the server has the details.',
  })
  return 'failed'
}

function sentence(error: unknown): string | undefined {
  if (error instanceof AppError) return error.message
  const full =
    error instanceof Error &&
    (('code' in error && error.code === 'ENOSPC') || /No space left on device|disk is full|os error 28/i.test(error.message))
  return full ? 'The disk of DATA_DIR is full. The old content stays; make room and retry the job.' : undefined
}

function progressOf({ jobs, now }: WorkerPorts, job: ClaimedJob): JobProgress {
  const state = { filesDone: 0, filesTotal: 0, snippets: 0, statusMessage: 'Starting' }
  let reported = 0
  const report = (always = false) => {
    const time = now().getTime()
    if (!always && time - reported < reportEveryMs) return
    reported = time
    jobs.progress(job.id, state)
  }
  return {
    suspects: new Set(job.interruptions >= interruptionsBeforeSuspicion ? jobs.suspects(job.id) : []),
    say: (text) => jobs.say(job.id, text),
    stage(message) {
      state.statusMessage = message
      report()
    },
    found(files) {
      Object.assign(state, { filesTotal: files, filesDone: 0, statusMessage: 'Reading files' })
      report(true)
    },
    reading: (path) => jobs.reading(job.id, path),
    read(path, snippets) {
      jobs.read(job.id, path)
      state.filesDone += 1
      state.snippets = snippets
      report()
    },
    indexing() {
      report(true)
      jobs.finalizing(job.id)
    },
  }
}
