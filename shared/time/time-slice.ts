import { setImmediate as nextTurn } from 'node:timers/promises'

/** Splits long work on the main thread into short slices. */
export type TimeSlice = {
  /** True if the work has blocked the thread for long enough. */
  isOver(): boolean
  /** Lets other requests run, then starts a new slice. Throws the reason of an aborted signal. */
  yield(): Promise<void>
}

const sliceMs = 8

export function timeSlice(signal: AbortSignal): TimeSlice {
  let startedMs = performance.now()
  return {
    isOver: () => performance.now() - startedMs > sliceMs,
    async yield() {
      await nextTurn()
      signal.throwIfAborted()
      startedMs = performance.now()
    },
  }
}
