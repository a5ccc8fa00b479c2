import { AppError } from '../errors.ts'
import { type Turns, turns } from '../time/turns.ts'

/** Where questions wait, so that no crowd of them takes the whole server. */
export type Questions = {
  /** Searches and ranks for a question. Throws search_failed if too many questions wait. */
  inTurn<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T>
  /** The same for an anonymous caller. Anonymous callers cannot take all waiting places, and others do not wait for all of them. */
  inAnonymousTurn<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T>
  /** Answers a caller: the holder of a key, or an anonymous address. Throws rate_limit_exceeded if it asks too much at once. */
  from<T>(caller: string, work: () => Promise<T>, signal: AbortSignal): Promise<T>
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

export function questionsInTurn(limits: QuestionLimits): Questions {
  const { callerAtOnce, callerMaxWaiting } = limits
  const { take } = turns({
    atOnce: limits.atOnce,
    maxWaiting: limits.maxWaiting,
    maxSecondWaiting: limits.maxAnonymousWaiting,
    refusal: tooManyWait,
  })
  const byCaller = new Map<string, Turns>()
  const newCaller = (caller: string) =>
    turns({
      atOnce: callerAtOnce,
      maxWaiting: callerMaxWaiting,
      maxWaitMs: limits.callerMaxWaitMs,
      refusal: () => tooManyAtOnce(callerAtOnce, callerMaxWaiting),
      onIdle: () => byCaller.delete(caller),
    })
  return {
    inTurn: (work, signal) => take(work, signal, 'first'),
    inAnonymousTurn: (work, signal) => take(work, signal, 'second'),
    async from(caller, work, signal) {
      signal.throwIfAborted()
      const its = byCaller.get(caller) ?? newCaller(caller)
      byCaller.set(caller, its)
      return await its.take(work, signal)
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
