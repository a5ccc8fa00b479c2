import { AppError, isTransient } from '../errors.ts'
import { fullDisk, isFullDisk } from '../system/full-disk.ts'
import { maxPauseMs, maxWaitMs } from '../time/job-pauses.ts'
import type { Outcome } from './job-run.ts'

/** The end of one run of a job. */
export type EndedRun = {
  result: Outcome | { error?: never }
  /** Runs since the job was queued or last interrupted, this one included. */
  attempts: number
  /** Times that the job has waited for its provider. */
  waits?: number
  /** The worker stops. */
  stopped: boolean
  cancelled?: boolean
}

/** The next step of a job after a run. */
export type RunOutcome =
  | { kind: 'done' }
  | { kind: 'cancelled' }
  /** The worker stopped: the job is queued again, and this attempt is not counted. */
  | { kind: 'stopped' }
  /** The job is queued again after the pause. */
  | { kind: 'retry'; pauseMs: number; error: AppError }
  /** A retry that is not counted as an attempt, so it can repeat any number of times. */
  | { kind: 'wait'; pauseMs: number; error: AppError }
  | { kind: 'failed'; error: AppError }

export type RetryRule = {
  /** Pauses before the second, third … attempt. */
  pausesMs: number[]
  /** True if an error that is not an AppError is retried, too. */
  retryUnexpected: boolean
}

const unexpected = new AppError('internal_error', 'The job failed unexpectedly. The log of the server has the details.')

/** The one rule of what follows a run: done, stopped, cancelled, retried, waiting for a provider, or failed. */
export function runOutcome({ result, attempts, waits = 0, stopped, cancelled }: EndedRun, rule: RetryRule): RunOutcome {
  if (!('error' in result)) return { kind: 'done' }
  if (stopped) return { kind: 'stopped' }
  if (cancelled) return { kind: 'cancelled' }
  const appError = result.error instanceof AppError ? result.error : undefined
  const full = isFullDisk(result.error)
    ? fullDisk('The old content stays; make room and retry the job.', result.error)
    : undefined
  const error = appError ?? full ?? unexpected
  const requestedMs = Math.min(error.retryAfterMs ?? 0, error.retry === 'unlimited' ? maxWaitMs : maxPauseMs)
  const { pausesMs, retryUnexpected } = rule
  if (error.retry === 'unlimited') {
    const pauseMs = Math.min(maxPauseMs, (pausesMs[0] ?? maxPauseMs) * 2 ** waits)
    return { kind: 'wait', pauseMs: Math.max(pauseMs, requestedMs), error }
  }
  const pauseMs = error.retry === 'once' && attempts > 1 ? undefined : pausesMs[attempts - 1]
  const isRetried = appError ? isTransient(appError) : retryUnexpected
  if (isRetried && pauseMs !== undefined) return { kind: 'retry', pauseMs: Math.max(pauseMs, requestedMs), error }
  return { kind: 'failed', error }
}
