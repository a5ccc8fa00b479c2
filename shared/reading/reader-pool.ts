import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import pLimit from 'p-limit'
import type { PackageNames } from './discover/package-names.ts'
import { isolatedReader } from './isolated-reader.ts'
import type { ReadResult, ReadTask } from './read-document.ts'
import type { WorkerAnswer, WorkerRequest } from './reader-worker.ts'
import { broken, stopped, type WorkerLimits, workerPool } from './worker-pool.ts'

/** The limits of a request are those of a file. */
export type ReadLimits = WorkerLimits & {
  /** Larger files are read in a process of their own: a thread that needs much memory at once takes its process with it. */
  threadBytes: number
}

/** Reads files where hostile input may loop or exhaust its heap without harm. */
export type ReaderPool = {
  split(task: ReadTask): Promise<ReadResult>
  /** The same in a process of its own whatever its size, for a file that may have killed a server; one at a time. */
  splitAlone(task: ReadTask): Promise<ReadResult>
  /** Files that the given ones take into themselves; none where that cannot be told. */
  includes(root: string, paths: string[], fileBytes: number): Promise<string[]>
  /** What the manifests of a clone call it; nothing where that cannot be told. */
  packageNames(root: string): Promise<PackageNames>
  /** After each version: gives back the memory of readers that have nothing to do, and forgets how many files were not got through. */
  rest(): Promise<void>
  /** Ends every reader at once; what was asked is answered as skipped. */
  close(): Promise<void>
}

/** Worker threads with a time and a heap limit a file; one that breaks a limit is ended and replaced. */
export function readerPool(limits: ReadLimits): ReaderPool {
  const readers = workerPool<WorkerRequest, WorkerAnswer>(new URL('./reader-worker.ts', import.meta.url), limits)
  const alone = isolatedReader(limits)
  const inTurn = pLimit(1)

  const splitAlone = (task: ReadTask) =>
    inTurn(async (): Promise<ReadResult> => {
      if (readers.closed) return stopped
      const limit = readers.patience.forNext()
      if ('skipped' in limit) return limit
      const result = await alone.split(task)
      if ('skipped' in result && result.unread) readers.patience.lose()
      return result
    })

  return {
    async split(task) {
      if ((await sizeOf(task)) > limits.threadBytes) return splitAlone(task)
      const outcome = await readers.ask({ split: task })
      if ('split' in outcome) return outcome.split
      return 'skipped' in outcome ? outcome : broken('its parser gave no answer')
    },
    splitAlone,
    async includes(root, paths, fileBytes) {
      const outcome = await readers.ask({ includes: { root, paths, fileBytes } })
      return 'includes' in outcome ? outcome.includes : []
    },
    async packageNames(root) {
      const outcome = await readers.ask({ packageNames: { root } })
      return 'packageNames' in outcome ? outcome.packageNames : { names: [] }
    },
    async rest() {
      readers.patience.renew()
      alone.close()
      await readers.rest()
    },
    async close() {
      alone.close()
      await readers.close()
    },
  }
}

/** Of what the path leads to; a reader says why it cannot be read. */
const sizeOf = async ({ root, path }: ReadTask): Promise<number> =>
  stat(join(root, path)).then(
    ({ size }) => size,
    () => 0,
  )
