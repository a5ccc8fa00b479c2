import type { ReadResult, ReadTask } from './read-document.ts'
import type { ReaderReply, ReaderRequest } from './reader-worker.ts'
import { crashed, type WorkerLimits, type WorkerPool, workerPool } from './worker-pool.ts'

export type ReaderThreads = WorkerPool<ReaderRequest, ReaderReply>

/** Worker threads that read files. */
export const readerThreads = (limits: WorkerLimits): ReaderThreads =>
  workerPool(new URL('./reader-worker.ts', import.meta.url), limits)

export async function readInThread(threads: ReaderThreads, task: ReadTask): Promise<ReadResult> {
  const outcome = await threads.request({ read: task })
  if ('read' in outcome) return outcome.read
  return 'skipped' in outcome ? outcome : crashed('its parser gave no answer')
}
