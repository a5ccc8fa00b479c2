import { AppError } from '../errors.ts'
import { type Turns, turns } from '../turns.ts'

/** Where questions wait, so that no crowd of them takes the whole server. */
export type Questions = {
  /** Searches and ranks for a question. Throws search_failed if too many questions wait. */
  inTurn: Turns['take']
  /** Answers an anonymous caller. Throws rate_limit_exceeded if its address asks too much at once. */
  from<T>(address: string, work: () => Promise<T>, signal: AbortSignal): Promise<T>
}

export type QuestionLimits = typeof questionLimits

export const questionLimits = {
  /** Searched and ranked at the same time, for all callers. */
  atOnce: 4,
  maxWaiting: 128,
  /** Questions of one anonymous address that are answered at the same time. A whole office may share an address, so others wait a while. */
  addressAtOnce: 16,
  addressMaxWaiting: 64,
  addressMaxWaitMs: 10_000,
}

const retryAfterMs = 2_000

export function questionsInTurn(limits: QuestionLimits): Questions {
  const { addressAtOnce, addressMaxWaiting } = limits
  const all = turns({ atOnce: limits.atOnce, maxWaiting: limits.maxWaiting, refusal: tooManyWait })
  const byAddress = new Map<string, Turns>()
  const newAddress = () =>
    turns({
      atOnce: addressAtOnce,
      maxWaiting: addressMaxWaiting,
      maxWaitMs: limits.addressMaxWaitMs,
      refusal: () => tooManyAtOnce(addressAtOnce, addressMaxWaiting),
    })
  return {
    inTurn: all.take,
    async from(address, work, signal) {
      const its = byAddress.get(address) ?? newAddress()
      byAddress.set(address, its)
      try {
        return await its.take(work, signal)
      } finally {
        if (its.isIdle() && byAddress.get(address) === its) byAddress.delete(address)
      }
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
