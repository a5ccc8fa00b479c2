import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '../errors.ts'

export type RetryPolicy = {
  /** Pauses before the second, third … attempt; by chance up to half as long. */
  pausesMs: number[]
  /** A provider that asks for a longer pause than this is given up for now. */
  maxPauseMs: number
}

export const retryPolicy: RetryPolicy = { pausesMs: [500, 1_000, 2_000, 4_000], maxPauseMs: 60_000 }

/**
 * Does a piece of work again while it fails with what may pass by itself. Where a provider says how long it wants to be left alone, all work
 * of this patience waits.
 */
export function withRetries({ pausesMs, maxPauseMs }: RetryPolicy, signal: AbortSignal | undefined) {
  let quietUntil = 0
  return async <T>(work: () => Promise<T>): Promise<T> => {
    for (let attempt = 0; ; attempt++) {
      await pause(quietUntil - performance.now(), signal)
      try {
        return await work()
      } catch (error) {
        signal?.throwIfAborted()
        const planned = pausesMs[attempt]
        const asked = error instanceof AppError ? (error.retryAfterMs ?? 0) : 0
        if (!(error instanceof AppError && error.transient) || planned === undefined || asked > maxPauseMs) throw error
        if (asked > 0) quietUntil = Math.max(quietUntil, performance.now() + asked * (1 + Math.random() / 10))
        else await pause(planned * (0.5 + Math.random() / 2), signal)
      }
    }
  }
}

async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  if (ms <= 0) return
  await sleep(ms, undefined, { ...(signal && { signal }) }).catch(() => undefined)
  signal?.throwIfAborted()
}
