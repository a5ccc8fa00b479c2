import { setImmediate as nextTurn } from 'node:timers/promises'
import pLimit from 'p-limit'
import type { AppError } from './errors.ts'
import { unlessAborted } from './unless-aborted.ts'

/** Work that is done a few at a time while a bounded number waits. */
export type Turns = {
  /** Work whose signal aborts while it waits never begins. Throws what `refusal` returns if too much work waits, or this waited too long. */
  take<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T>
  isIdle(): boolean
}

type Bounds = { atOnce: number; maxWaiting: number; maxWaitMs?: number; refusal(): AppError }

export function turns({ atOnce, maxWaiting, maxWaitMs, refusal }: Bounds): Turns {
  const limit = pLimit(atOnce)
  let taken = 0
  return {
    isIdle: () => taken === 0,
    async take<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
      signal.throwIfAborted()
      if (taken >= atOnce + maxWaiting) throw refusal()
      taken += 1
      const waited = Promise.withResolvers<never>()
      const timer = maxWaitMs === undefined ? undefined : setTimeout(() => waited.reject(refusal()), maxWaitMs)
      let state: 'waits' | 'works' | 'left' = 'waits'
      const result = limit(async () => {
        // Between two pieces of work the server sees who hung up, and answers other requests.
        await nextTurn()
        if (state === 'left') return undefined as T
        state = 'works'
        clearTimeout(timer)
        try {
          return await work()
        } finally {
          taken -= 1
        }
      })
      try {
        return await unlessAborted(Promise.race([result, waited.promise]), signal)
      } finally {
        clearTimeout(timer)
        if (state === 'waits') {
          state = 'left'
          taken -= 1
        }
      }
    },
  }
}
