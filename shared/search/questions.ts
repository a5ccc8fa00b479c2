import { AppError } from '../errors.ts'
import { type Turns, turns } from '../turns.ts'

/** Where questions wait, so that no crowd of them takes the whole server. */
export type Questions = {
  /** Searches and ranks for a question. Throws search_failed if too many questions wait. */
  inTurn<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T>
  /** The same for an anonymous caller. Anonymous callers cannot take all waiting places, and others do not wait for all of them. */
  inAnonymousTurn<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T>
  /** Answers an anonymous caller. Throws rate_limit_exceeded if its address asks too much at once. */
  from<T>(address: string, work: () => Promise<T>, signal: AbortSignal): Promise<T>
}

export type QuestionLimits = typeof questionLimits

export const questionLimits = {
  /** Searched and ranked at the same time, for all callers. */
  atOnce: 4,
  maxWaiting: 128,
  maxAnonymousWaiting: 96,
  /** Questions of one anonymous address that are answered at the same time. A whole office may share an address, so others wait a while. */
  addressAtOnce: 8,
  addressMaxWaiting: 64,
  addressMaxWaitMs: 10_000,
}

const retryAfterMs = 2_000

export function questionsInTurn(limits: QuestionLimits): Questions {
  const { addressAtOnce, addressMaxWaiting } = limits
  const { take } = turns({
    atOnce: limits.atOnce,
    maxWaiting: limits.maxWaiting,
    maxSecondWaiting: limits.maxAnonymousWaiting,
    refusal: tooManyWait,
  })
  const byAddress = new Map<string, Turns>()
  const newAddress = (address: string) =>
    turns({
      atOnce: addressAtOnce,
      maxWaiting: addressMaxWaiting,
      maxWaitMs: limits.addressMaxWaitMs,
      refusal: () => tooManyAtOnce(addressAtOnce, addressMaxWaiting),
      onIdle: () => byAddress.delete(address),
    })
  return {
    inTurn: (work, signal) => take(work, signal, 'first'),
    inAnonymousTurn: (work, signal) => take(work, signal, 'second'),
    async from(address, work, signal) {
      signal.throwIfAborted()
      const its = byAddress.get(address) ?? newAddress(address)
      byAddress.set(address, its)
      return await its.take(work, signal)
    },
  }
}

const tooManyWait = (): AppError =>
  new AppError('search_failed', 'Too many questions are waiting for an answer. Ask again in a few seconds.', { retryAfterMs })

const tooManyAtOnce = (atOnce: number, maxWaiting: number): AppError =>
  new AppError(
    'rate_limit_exceeded',
    `Your address asks too many questions at once: ${atOnce} are answered at a time and ${maxWaiting} more may wait. Ask again in a few seconds, or send an API key, which has no such limit.`,
    { retryAfterMs, limitRequests: atOnce + maxWaiting },
  )
