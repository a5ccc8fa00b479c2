import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import type { AppError } from '../errors.ts'
import { unlessAborted } from './unless-aborted.ts'

/** Runs a few pieces of work at a time, while a bounded number waits. */
export type FairLimit = {
  /** Work whose signal aborts while it waits never starts. Throws `rejection()` if too much work waits, or this has waited too long. */
  run<T>(work: () => Promise<T>, signal: AbortSignal, line?: Line): Promise<T>
  load(): Load
}

/** Pieces of work. */
export type Load = { running: number; waiting: number }

/** Two lines are served alternately. */
export type Line = 'first' | 'second'

type FairLimitOptions = {
  maxRunning: number
  /** The maximum in both lines together. */
  maxWaiting: number
  maxSecondWaiting?: number
  maxWaitMs?: number
  /**
   * Delays each rejection for too much waiting work, since callers that retry without a pause would take the processor from the work: by
   * `eachMs` for every delayed rejection, so that their number per second is bounded, within `minMs` and `maxMs`.
   */
  rejections?: { minMs: number; maxMs: number; eachMs: number }
  /** Aborts when the process ends, which does not wait for delayed rejections. */
  stopping?: AbortSignal
  rejection(): AppError
  /** Called when the last work has ended. */
  onIdle?(): void
}

export function fairLimit({
  maxRunning,
  maxWaiting,
  maxSecondWaiting = maxWaiting,
  maxWaitMs,
  rejections,
  stopping,
  rejection,
  onIdle,
}: FairLimitOptions): FairLimit {
  const waiting: Record<Line, Set<() => void>> = { first: new Set(), second: new Set() }
  let running = 0
  let last: Line = 'second'

  function startNext(): void {
    if (running === maxRunning) return
    const other = last === 'first' ? 'second' : 'first'
    const line = waiting[other].size > 0 ? other : last
    const [start] = waiting[line]
    if (!start) return
    last = line
    start()
  }

  const isFull = (line: Line) =>
    running === maxRunning &&
    (waiting.first.size + waiting.second.size >= maxWaiting || (line === 'second' && waiting.second.size >= maxSecondWaiting))

  const waitForTurn = (line: Set<() => void>, signal: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      const stopWaiting = () => {
        line.delete(start)
        clearTimeout(timer)
        signal.removeEventListener('abort', onAbort)
      }
      const start = () => {
        stopWaiting()
        running += 1
        resolve()
      }
      const leave = (reason: unknown) => {
        stopWaiting()
        reject(reason)
      }
      const onAbort = () => leave(signal.reason)
      const timer = maxWaitMs === undefined ? undefined : setTimeout(() => leave(rejection()), maxWaitMs)
      signal.addEventListener('abort', onAbort)
      line.add(start)
      startNext()
    })

  async function runNow<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    try {
      // The server notices disconnected callers and handles other requests between two pieces of work.
      await nextTurn()
      signal.throwIfAborted()
      return await work()
    } finally {
      running -= 1
      startNext()
      if (running === 0) onIdle?.()
    }
  }

  let delayed = 0

  async function reject(signal: AbortSignal): Promise<never> {
    if (rejections !== undefined) {
      const { minMs, maxMs, eachMs } = rejections
      delayed += 1
      const ending = stopping ? AbortSignal.any([signal, stopping]) : signal
      await sleep(Math.min(maxMs, Math.max(minMs, delayed * eachMs)), undefined, { signal: ending }).catch(() => undefined)
      delayed -= 1
    }
    signal.throwIfAborted()
    throw rejection()
  }

  return {
    load: () => ({ running, waiting: waiting.first.size + waiting.second.size }),
    async run(work, signal, line = 'first') {
      signal.throwIfAborted()
      if (isFull(line)) return await reject(signal)
      await waitForTurn(waiting[line], signal)
      return await unlessAborted(runNow(work, signal), signal)
    },
  }
}
