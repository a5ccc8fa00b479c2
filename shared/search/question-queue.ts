import { AppError } from '../errors.ts'
import { type FairLimit, fairLimit } from '../time/fair-limit.ts'

/** Where questions wait, so that no crowd of them takes the whole server. */
export type QuestionQueue = {
  /** Searches and ranks for a question. Throws search_failed if too many questions wait. */
  run<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T>
  /** The same for an anonymous caller. Anonymous callers cannot take all waiting places, and others do not wait for all of them. */
  runAnonymous<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T>
  /** Answers a caller: the holder of a key, or an anonymous address. Throws rate_limit_exceeded if it asks too much at once. */
  runFor<T>(caller: string, work: () => Promise<T>, signal: AbortSignal): Promise<T>
}

export type QuestionLimits = typeof questionLimits

export const questionLimits = {
  /** Searched and ranked at the same time, for all callers. */
  atOnce: 4,
  maxWaiting: 128,
  maxAnonymousWaiting: 96,
  /** Questions of one key or anonymous address that are answered at the same time. A whole office may share one, so others wait a while. */
  callerAtOnce: 8,
  callerMaxWaiting: 64,
  callerMaxWaitMs: 10_000,
}

const retryAfterMs = 2_000

export function questionQueue(limits: QuestionLimits): QuestionQueue {
  const { callerAtOnce, callerMaxWaiting } = limits
  const { run } = fairLimit({
    maxRunning: limits.atOnce,
    maxWaiting: limits.maxWaiting,
    maxSecondWaiting: limits.maxAnonymousWaiting,
    rejection: tooManyWait,
  })
  const byCaller = new Map<string, FairLimit>()
  const newCaller = (caller: string) =>
    fairLimit({
      maxRunning: callerAtOnce,
      maxWaiting: callerMaxWaiting,
      maxWaitMs: limits.callerMaxWaitMs,
      rejection: () => tooManyAtOnce(callerAtOnce, callerMaxWaiting),
      onIdle: () => byCaller.delete(caller),
    })
  return {
    run: (work, signal) => run(work, signal, 'first'),
    runAnonymous: (work, signal) => run(work, signal, 'second'),
    async runFor(caller, work, signal) {
      signal.throwIfAborted()
      const its = byCaller.get(caller) ?? newCaller(caller)
      byCaller.set(caller, its)
      return await its.run(work, signal)
    },
  }
}

const tooManyWait = (): AppError =>
  new AppError('search_failed', 'Too many questions are waiting for an answer. Ask again in a few seconds.', { retryAfterMs })

const tooManyAtOnce = (atOnce: number, maxWaiting: number): AppError =>
  new AppError(
    'rate_limit_exceeded',
    `Your key, or your address if you send no key, asks too many questions at once: ${atOnce} are answered at a time and ${maxWaiting} more may wait. Ask again in a few seconds.`,
    { retryAfterMs, limitRequests: atOnce + maxWaiting },
  )
