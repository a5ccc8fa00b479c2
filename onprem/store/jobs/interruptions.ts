import { getHeapStatistics } from 'node:v8'
import { totalMemoryBytes } from '../../../shared/system/total-memory-bytes.ts'

/** A job that was interrupted so often pauses before it runs again. So a job that ends the server leaves time for questions. */
export const toleratedInterruptions = 3
export const maxInterruptionPauseMs = 3_600_000
const firstPauseMs = 5_000

/** Doubles with each interruption. */
export const interruptionPauseMs = (interruptions: number): number =>
  Math.min(maxInterruptionPauseMs, firstPauseMs * 2 ** (interruptions - toleratedInterruptions))

/** The reason why a job pauses, and what to do about it. */
export const interruptionReason = (interruptions: number): string =>
  `The server ended ${interruptions} times while this job ran, perhaps because the job needs more memory than the server has. Give the server more memory and restart it, or cancel the job and add the library with fewer files.`

/** Grows with the memory of the machine or container, and with Node's limit of the heap. */
export const processMemoryBytes = (): number => totalMemoryBytes() + getHeapStatistics().heap_size_limit
