import pLimit from 'p-limit'
import type { PackageNames } from './discover/package-names.ts'
import { isolatedReader } from './isolated-reader.ts'
import type { ReadResult, ReadTask, Scan } from './read-document.ts'
import { readerThreads, readInThread } from './reader-threads.ts'
import type { Titled } from './titles/titled.ts'
import { stopped, type WorkerLimits } from './worker-pool.ts'

/** Time and heap limits apply to each file. */
export type ReadLimits = WorkerLimits & {
  /** Larger files are read in a separate process: a thread that suddenly needs much memory crashes its whole process. */
  threadBytes: number
}

/** Reads files isolated from the server, so that hostile input can loop or exhaust its heap without harm. */
export type ReaderPool = {
  read(task: ReadTask): Promise<ReadResult>
  /** Reads a file in a separate process whatever its size, one at a time: for files that may have crashed a server. */
  readIsolated(task: ReadTask): Promise<ReadResult>
  /** The files that the given files include; none if they cannot be scanned. */
  scan(root: string, paths: string[], fileBytes: number): Promise<Scan>
  /** The names in the manifests of a clone; none if they cannot be read. */
  packageNames(root: string): Promise<PackageNames>
  /** Titles and descriptions in a clone, the most trusted source first; none if they cannot be read. `folders` are those that are read. */
  titles(root: string, folders: string[]): Promise<Titled[]>
  /** Title and description of the API description that is the only file of a folder; none if it has none or cannot be read. */
  descriptionTitles(root: string): Promise<Titled[]>
  /** Call after each version: frees the memory of idle readers and resets the count of files that could not be read. */
  rest(): Promise<void>
  /** Ends every reader immediately; pending files are skipped. */
  close(): Promise<void>
}

/** Reads files in worker threads with a time and a heap limit per file. A thread that exceeds a limit is ended and replaced. */
export function readerPool(limits: ReadLimits): ReaderPool {
  const threads = readerThreads(limits)
  const isolated = isolatedReader(limits)
  const oneAtATime = pLimit(1)

  const readIsolated = (task: ReadTask) =>
    oneAtATime(async (): Promise<ReadResult> => {
      if (threads.closed) return stopped
      const limit = threads.timeLimits.next()
      if ('skipped' in limit) return limit
      const result = await isolated.read(task)
      if ('skipped' in result && result.unread) threads.timeLimits.countUnread()
      return result
    })

  return {
    async read(task) {
      return (await readInThread(threads, task, limits.threadBytes)) ?? readIsolated(task)
    },
    readIsolated,
    async scan(root, paths, fileBytes) {
      const outcome = await threads.request({ scan: { root, paths, fileBytes } })
      return 'scan' in outcome ? outcome.scan : { includes: [], titles: [], imports: [] }
    },
    async packageNames(root) {
      const outcome = await threads.request({ packageNames: { root } })
      return 'packageNames' in outcome ? outcome.packageNames : { names: [] }
    },
    async titles(root, folders) {
      const outcome = await threads.request({ titles: { root, folders } })
      return 'titles' in outcome ? outcome.titles : []
    },
    async descriptionTitles(root) {
      const outcome = await threads.request({ descriptionTitles: { root } })
      return 'titles' in outcome ? outcome.titles : []
    },
    async rest() {
      threads.timeLimits.reset()
      isolated.close()
      await threads.rest()
    },
    async close() {
      isolated.close()
      await threads.close()
    },
  }
}
