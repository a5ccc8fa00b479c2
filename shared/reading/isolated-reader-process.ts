import type { ReadTask } from './read-document.ts'
import { type ReadLimits, readerPool } from './reader-pool.ts'

export type IsolatedReadRequest = { task: ReadTask; limits: ReadLimits }

/** The file is read in a thread, so that this process still notices when its server is gone. */
let pool: ReturnType<typeof readerPool> | undefined

process.on('message', async ({ task, limits }: IsolatedReadRequest) => {
  pool ??= readerPool({ ...limits, workers: 1, threadBytes: Number.POSITIVE_INFINITY })
  process.send?.(await pool.split(task))
})
process.on('disconnect', () => process.exit())
