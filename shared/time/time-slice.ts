import { setImmediate as nextTurn } from 'node:timers/promises'

/** Long work on the main thread in short pieces. */
export type TimeSlice = {
  /** Whether the work has held the thread for long enough. */
  isOver(): boolean
  /** Lets other requests run. Throws the signal's reason once it is aborted. */
  yield(): Promise<void>
}

const maxHoldMs = 8

export function timeSlice(signal: AbortSignal): TimeSlice {
  let beganMs = performance.now()
  return {
    isOver: () => performance.now() - beganMs > maxHoldMs,
    async yield() {
      await nextTurn()
      signal.throwIfAborted()
      beganMs = performance.now()
    },
  }
}
