import type { ReadResult, ReadTask } from './read-document.ts'
import type { ReaderReply, ReaderRequest } from './reader-worker.ts'
import { crashed, type WorkerLimits, type WorkerPool, workerPool } from './worker-pool.ts'

export type ReaderThreads = WorkerPool<ReaderRequest, ReaderReply>

/** Worker threads that read files. */
export const readerThreads = (limits: WorkerLimits): ReaderThreads =>
  workerPool(new URL('./reader-worker.ts', import.meta.url), limits)

/** Returns undefined for a file that is larger than `maxBytes`, which is not read. */
export async function readInThread(
  threads: ReaderThreads,
  task: ReadTask,
  maxBytes = Number.POSITIVE_INFINITY,
): Promise<ReadResult | undefined> {
  const outcome = await threads.request({ read: task, maxBytes })
  if ('read' in outcome) return outcome.read
  if ('tooLarge' in outcome) return undefined
  return 'skipped' in outcome ? outcome : crashed('its parser gave no answer')
}
