import { type ChildProcess, fork } from 'node:child_process'
import { childEnv } from '../system/child-env.ts'
import type { IsolatedReadRequest } from './isolated-reader-process.ts'
import type { ReadResult, ReadTask } from './read-document.ts'
import { stopped, type WorkerLimits } from './worker-pool.ts'

/** Reads one file at a time in a separate process, so that a file that crashes the process affects no other file. */
export type IsolatedReader = { read(task: ReadTask): Promise<ReadResult>; close(): void }

/** `end` settles the file that the process is reading. `isLost`: the process ended before it replied. */
type ReaderProcess = { child: ChildProcess; end: ((result: ReadResult, isLost?: boolean) => void) | undefined }

/** The process enforces the time limit itself; if it has not replied this much later, it hangs. */
const graceMs = 10_000

export function isolatedReader(limits: WorkerLimits): IsolatedReader {
  let reader: ReaderProcess | undefined

  const start = (): ReaderProcess => {
    const child = fork(new URL('./isolated-reader-process.ts', import.meta.url), {
      execArgv: [],
      env: childEnv(),
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    const started: ReaderProcess = { child, end: undefined }
    child.on('message', (result) => started.end?.(result as ReadResult))
    const lose = (skipped: string) => started.end?.({ skipped, unread: 'crashed' }, true)
    child.on('error', ({ message }) => lose(`its parser could not be started: ${message}`))
    child.on('exit', () => lose('it ended the process that parsed it'))
    return started
  }
  const endWith = (result: ReadResult) => {
    const ended = reader
    reader = undefined
    ended?.child.kill('SIGKILL')
    ended?.end?.(result)
  }

  return {
    read: (task) =>
      new Promise((resolve) => {
        const timedOut = () => endWith({ skipped: `it took longer than ${limits.timeMs / 1000} s to parse`, unread: 'timed out' })
        const send = (to: ReaderProcess, isFresh: boolean) => {
          const timer = setTimeout(timedOut, limits.timeMs + graceMs)
          reader = to
          to.end = (result, isLost) => {
            to.end = undefined
            clearTimeout(timer)
            // The process may have died from an earlier file, so only a fresh process shows that this file is the cause.
            if (isLost && !isFresh) send(start(), true)
            else resolve(result)
          }
          to.child.send({ task, limits } satisfies IsolatedReadRequest)
        }
        const used = reader?.child.connected ? reader : undefined
        send(used ?? start(), !used)
      }),
    close: () => endWith(stopped),
  }
}
