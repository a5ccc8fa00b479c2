import { type ChildProcess, fork } from 'node:child_process'
import { childEnv } from '../system/child-env.ts'
import type { IsolatedReadRequest } from './isolated-reader-process.ts'
import type { ReadResult, ReadTask } from './read-document.ts'
import type { ReadLimits } from './reader-pool.ts'

/** Reads one file at a time in a process of its own; a file that ends the process harms no other. */
export type IsolatedReader = { split(task: ReadTask): Promise<ReadResult>; close(): void }

/** A process; `end` takes what becomes of the file that it is reading, and whether the process is lost with it. */
type Reader = { child: ChildProcess; end: ((result: ReadResult, isLost?: boolean) => void) | undefined }

/** The process keeps the limits itself; after this much more it counts as hung. */
const graceMs = 10_000

export function isolatedReader(limits: ReadLimits): IsolatedReader {
  let reader: Reader | undefined

  const start = (): Reader => {
    const child = fork(new URL('./isolated-reader-process.ts', import.meta.url), {
      execArgv: [],
      env: childEnv(),
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    const started: Reader = { child, end: undefined }
    child.on('message', (result) => started.end?.(result as ReadResult))
    const lose = (skipped: string) => started.end?.({ skipped, unread: 'broken' }, true)
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
    split: (task) =>
      new Promise((answer) => {
        const late = () => endWith({ skipped: `it took longer than ${limits.timeMs / 1000} s to parse`, unread: 'late' })
        const hand = (to: Reader, isFresh: boolean) => {
          const timer = setTimeout(late, limits.timeMs + graceMs)
          reader = to
          to.end = (result, isLost) => {
            to.end = undefined
            clearTimeout(timer)
            // One that has read other files, or died before it got this one, tells nothing about this one.
            if (isLost && !isFresh) hand(start(), true)
            else answer(result)
          }
          to.child.send({ task, limits } satisfies IsolatedReadRequest)
        }
        const used = reader?.child.connected ? reader : undefined
        hand(used ?? start(), !used)
      }),
    close: () => endWith({ skipped: 'the job was stopped' }),
  }
}
