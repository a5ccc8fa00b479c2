import { AppError } from '../../errors.ts'
import { type FairLimit, fairLimit, type Load } from '../../time/fair-limit.ts'

/** Limits concurrent questions, so that many of them do not take the whole server. */
export type QuestionQueue = {
  /** Runs search and ranking for a question. Throws search_failed if too many questions wait. */
  run<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T>
  /** `run` for an anonymous caller. Anonymous callers cannot fill the queue, and others do not wait for all of them. */
  runAnonymous<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T>
  /** Limits one caller: a key or an anonymous address. Throws rate_limit_exceeded if it asks too many questions at the same time. */
  runFor<T>(caller: string, work: () => Promise<T>, signal: AbortSignal): Promise<T>
  /** The load of all callers. */
  load(): Load
}

export type QuestionLimits = typeof questionLimits

export const questionLimits = {
  /** Concurrent searches, for all callers together. */
  atOnce: 4,
  maxWaiting: 128,
  maxAnonymousWaiting: 96,
  /** Concurrent questions of one key or anonymous address. A whole office may share one, so further questions wait. */
  callerAtOnce: 8,
  callerMaxWaiting: 64,
  callerMaxWaitMs: 10_000,
  /** At most about 50 rejections per second, until 250 callers wait for one. */
  rejections: { minMs: 1_000, maxMs: 5_000, eachMs: 20 },
}

const retryAfterMs = 2_000

/** Rejections are no longer delayed once `stopping` aborts. */
export function questionQueue(limits: QuestionLimits, stopping?: AbortSignal): QuestionQueue {
  const { callerAtOnce, callerMaxWaiting, rejections } = limits
  const all = fairLimit({
    maxRunning: limits.atOnce,
    maxWaiting: limits.maxWaiting,
    maxSecondWaiting: limits.maxAnonymousWaiting,
    rejections,
    stopping,
    rejection: tooManyWait,
  })
  const byCaller = new Map<string, FairLimit>()
  const newCaller = (caller: string) =>
    fairLimit({
      maxRunning: callerAtOnce,
      maxWaiting: callerMaxWaiting,
      maxWaitMs: limits.callerMaxWaitMs,
      rejections,
      stopping,
      rejection: () => tooManyAtOnce(callerAtOnce, callerMaxWaiting),
      onIdle: () => byCaller.delete(caller),
    })
  return {
    run: (work, signal) => all.run(work, signal, 'first'),
    runAnonymous: (work, signal) => all.run(work, signal, 'second'),
    async runFor(caller, work, signal) {
      signal.throwIfAborted()
      const limit = byCaller.get(caller) ?? newCaller(caller)
      byCaller.set(caller, limit)
      return await limit.run(work, signal)
    },
    load() {
      const { running, waiting } = all.load()
      const ofCallers = [...byCaller.values()].map((each) => each.load().waiting)
      return { running, waiting: ofCallers.reduce((sum, each) => sum + each, waiting) }
    },
  }
}

const tooManyWait = (): AppError =>
  new AppError('search_failed', 'Too many questions are waiting for an answer. Ask again in a few seconds.', { retryAfterMs })

const tooManyAtOnce = (atOnce: number, maxWaiting: number): AppError =>
  new AppError(
    'rate_limit_exceeded',
    `Your key, or your address if you send no key, asks too many questions at once: ${atOnce} run at a time and ${maxWaiting} more may wait. Ask again in a few seconds.`,
    { retryAfterMs, limitRequests: atOnce + maxWaiting },
  )
