import type { ReadTask } from './read-document.ts'
import { type ReaderThreads, readerThreads, readInThread } from './reader-threads.ts'
import type { WorkerLimits } from './worker-pool.ts'

export type IsolatedReadRequest = { task: ReadTask; limits: WorkerLimits }

/** Files are read in a thread, so that this process still notices when its server ends. */
let threads: ReaderThreads | undefined

process.on('message', async ({ task, limits }: IsolatedReadRequest) => {
  threads ??= readerThreads({ ...limits, workers: 1 })
  process.send?.(await readInThread(threads, task))
})
process.on('disconnect', () => process.exit())
