import type { SplitTask } from './read-document.ts'
import { type SplitLimits, splitPool } from './reader-pool.ts'

export type ChildRequest = { task: SplitTask; limits: SplitLimits }

/** The file is read in a thread, so that this process still notices when its server is gone. */
let pool: ReturnType<typeof splitPool> | undefined

process.on('message', async ({ task, limits }: ChildRequest) => {
  pool ??= splitPool({ ...limits, workers: 1, threadBytes: Number.POSITIVE_INFINITY })
  process.send?.(await pool.split(task))
})
process.on('disconnect', () => process.exit())
