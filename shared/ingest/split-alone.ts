import { type ChildProcess, fork } from 'node:child_process'
import type { ChildRequest } from './split-child.ts'
import type { SplitResult, SplitTask } from './split-file.ts'
import type { SplitLimits } from './split-pool.ts'

/** Reads one file at a time in a process of its own; a file that ends the process harms no other. */
export type LoneReader = { split(task: SplitTask): Promise<SplitResult>; close(): void }

/** A process; `end` takes what becomes of the file that it is reading. */
type Reader = { child: ChildProcess; end: ((result: SplitResult) => void) | undefined }

/** The process keeps the limits itself; after this much more it counts as hung. */
const graceMs = 10_000

export function loneReader(limits: SplitLimits): LoneReader {
  let reader: Reader | undefined

  const start = (): Reader => {
    const child = fork(new URL('./split-child.ts', import.meta.url), {
      execArgv: [],
      env: {},
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    const started: Reader = { child, end: undefined }
    child.on('message', (result) => started.end?.(result as SplitResult))
    child.on('error', ({ message }) =>
      started.end?.({ skipped: `its parser could not be started: ${message}`, unread: 'broken' }),
    )
    child.on('exit', () => started.end?.({ skipped: 'it ended the process that parsed it', unread: 'broken' }))
    return started
  }
  const endWith = (result: SplitResult) => {
    const ended = reader
    reader = undefined
    ended?.child.kill('SIGKILL')
    ended?.end?.(result)
  }

  return {
    split: (task) =>
      new Promise((answer) => {
        const current = reader?.child.connected ? reader : start()
        reader = current
        const late = () => endWith({ skipped: `it took longer than ${limits.timeMs / 1000} s to parse`, unread: 'late' })
        const timer = setTimeout(late, limits.timeMs + graceMs)
        current.end = (result) => {
          current.end = undefined
          clearTimeout(timer)
          answer(result)
        }
        current.child.send({ task, limits } satisfies ChildRequest)
      }),
    close: () => endWith({ skipped: 'the job was stopped' }),
  }
}
