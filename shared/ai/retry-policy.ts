import { setTimeout as sleep } from 'node:timers/promises'
import { AppError, isTransient } from '../errors.ts'

export type RetryPolicy = {
  /** Pauses before the second, third … attempt, shortened at random by up to half. */
  pausesMs: number[]
  /** If a provider asks for a longer pause, the request fails. */
  maxPauseMs: number
}

export const retryPolicy: RetryPolicy = { pausesMs: [500, 1_000, 2_000, 4_000], maxPauseMs: 60_000 }

/**
 * Returns a function that retries work that fails with a transient error, or with one for which `isRetried` is true. If a provider asks for a pause,
 * all work that shares this function waits.
 */
export function withRetries({ pausesMs, maxPauseMs }: RetryPolicy, signal: AbortSignal | undefined) {
  let pausedUntil = 0
  return async <T>(work: () => Promise<T>, isRetried: (error: unknown) => boolean = isTransient): Promise<T> => {
    for (let attempt = 0; ; attempt++) {
      await pause(pausedUntil - performance.now(), signal)
      try {
        return await work()
      } catch (error) {
        signal?.throwIfAborted()
        const planned = pausesMs[attempt]
        const requestedMs = error instanceof AppError ? (error.retryAfterMs ?? 0) : 0
        if (!isRetried(error) || planned === undefined || requestedMs > maxPauseMs) throw error
        if (requestedMs > 0) pausedUntil = Math.max(pausedUntil, performance.now() + requestedMs * (1 + Math.random() / 10))
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
