import { setImmediate as nextTurn } from 'node:timers/promises'

/** Long work on the main thread in short pieces. */
export type Pace = {
  /** Whether the work has held the thread for long enough. */
  isDue(): boolean
  /** Lets other requests run. Throws the signal's reason once it is aborted. */
  rest(): Promise<void>
}

const maxHoldMs = 8

export function pace(signal: AbortSignal): Pace {
  let beganMs = performance.now()
  return {
    isDue: () => performance.now() - beganMs > maxHoldMs,
    async rest() {
      await nextTurn()
      signal.throwIfAborted()
      beganMs = performance.now()
    },
  }
}
