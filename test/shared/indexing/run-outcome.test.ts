import { expect, test } from 'vitest'
import { AppError } from '../../../shared/errors.ts'
import { type EndedRun, type RetryRule, runOutcome } from '../../../shared/indexing/run-outcome.ts'

const rule: RetryRule = { pausesMs: [5_000, 15_000], retryUnexpected: false }
const outcome = (run: Partial<EndedRun>, more: Partial<RetryRule> = {}) =>
  runOutcome({ result: {}, attempts: 1, stopped: false, ...run }, { ...rule, ...more })
const failed = (error: unknown) => ({ result: { error } })

const permanent = new AppError('not_found', 'The repository does not exist.')
const transient = new AppError('provider_unavailable', 'The host responded with status 503.', { retry: 'limited' })
const busy = (retryAfterMs: number) => new AppError('timeout', 'The host is busy.', { retry: 'limited', retryAfterMs })
const away = (retryAfterMs?: number) =>
  new AppError('provider_unavailable', 'The provider is away.', { retry: 'unlimited', retryAfterMs })

test('a run without an error is done, also if the worker stops or the job is cancelled', () => {
  expect(outcome({ stopped: true, cancelled: true })).toEqual({ kind: 'done' })
})

test('a stopped worker queues the job again, whatever error that caused', () => {
  for (const error of [permanent, transient, away(), new Error('aborted')])
    expect(outcome({ ...failed(error), stopped: true, cancelled: true })).toEqual({ kind: 'stopped' })
})

test('a cancelled job ends, whatever error that caused', () => {
  for (const error of [permanent, transient, away(), new Error('aborted')])
    expect(outcome({ ...failed(error), cancelled: true })).toEqual({ kind: 'cancelled' })
})

test('a transient error is retried after the pause of its attempt, and fails the job after the last pause', () => {
  const kinds = [1, 2, 3].map((attempts) => outcome({ ...failed(transient), attempts }))
  expect(kinds).toEqual([
    { kind: 'retry', pauseMs: 5_000, error: transient },
    { kind: 'retry', pauseMs: 15_000, error: transient },
    { kind: 'failed', error: transient },
  ])
})

test('an error that a repetition rarely repairs is retried once', () => {
  const error = new AppError('provider_unavailable', 'The name git.example cannot be resolved.', { retry: 'once' })
  expect([1, 2].map((attempts) => outcome({ ...failed(error), attempts }))).toEqual([
    { kind: 'retry', pauseMs: 5_000, error },
    { kind: 'failed', error },
  ])
})

test('a permanent error fails the job', () => {
  expect(outcome(failed(permanent))).toEqual({ kind: 'failed', error: permanent })
})

test('a host chooses a longer pause, up to a minute', () => {
  expect([1_000, 20_000, 3_600_000].map((ms) => outcome(failed(busy(ms))))).toMatchObject([
    { pauseMs: 5_000 },
    { pauseMs: 20_000 },
    { pauseMs: 60_000 },
  ])
})

test('a job waits for its provider any number of times, each time longer, up to a minute, or ten if asked', () => {
  const waits = [0, 1, 2, 3, 4, 50].map((times) => outcome({ ...failed(away()), attempts: 9, waits: times }))
  expect(waits.map((each) => each.kind === 'wait' && each.pauseMs)).toEqual([5_000, 10_000, 20_000, 40_000, 60_000, 60_000])
  expect(outcome(failed(away(30_000)))).toMatchObject({ kind: 'wait', pauseMs: 30_000 })
  expect(outcome(failed(away()), { pausesMs: [] })).toMatchObject({ kind: 'wait', pauseMs: 60_000 })
  expect(outcome(failed(away(3_600_000)))).toMatchObject({ kind: 'wait', pauseMs: 600_000 })
})

const bug = failed(new TypeError('secret detail'))
const withoutDetails = 'The job failed unexpectedly. The log of the server has the details.'

test('an unexpected error fails the job without its details', () => {
  expect(outcome(bug)).toMatchObject({ kind: 'failed', error: { code: 'internal_error', message: withoutDetails } })
})

test('an unexpected error is retried if the rule requires it', () => {
  expect(outcome(bug, { retryUnexpected: true })).toMatchObject({ kind: 'retry', pauseMs: 5_000 })
  expect(outcome({ ...bug, attempts: 3 }, { retryUnexpected: true })).toMatchObject({
    kind: 'failed',
    error: { message: withoutDetails },
  })
})
