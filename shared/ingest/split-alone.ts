import { type ChildProcess, fork } from 'node:child_process'
import type { ChildRequest } from './split-child.ts'
import type { SplitResult, SplitTask } from './split-file.ts'
import type { SplitLimits } from './split-pool.ts'

/** Reads one file at a time in a process of its own; a file that ends the process harms no other. */
export type LoneReader = { split(task: SplitTask): Promise<SplitResult>; close(): void }

/** The process keeps the limits itself; after this much more it counts as hung. */
const graceMs = 10_000

export function loneReader(limits: SplitLimits): LoneReader {
  let child: ChildProcess | undefined
  let settle: ((result: SplitResult) => void) | undefined

  const start = (): ChildProcess => {
    const started = fork(new URL('./split-child.ts', import.meta.url), {
      execArgv: [],
      env: {},
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    const ended = (reason: string) => {
      if (child !== started) return
      child = undefined
      started.kill('SIGKILL')
      settle?.({ skipped: reason })
    }
    started.on('message', (result) => {
      if (child === started) settle?.(result as SplitResult)
    })
    started.on('error', (error) => ended(`its parser could not be started: ${error.message}`))
    started.on('exit', () => ended('it ended the process that parsed it'))
    return started
  }
  const give = (skipped: string) => {
    child?.kill('SIGKILL')
    child = undefined
    settle?.({ skipped })
  }

  return {
    split: (task) =>
      new Promise((answer) => {
        const timer = setTimeout(() => give(`it took longer than ${limits.timeMs / 1000} s to parse`), limits.timeMs + graceMs)
        settle = (result) => {
          settle = undefined
          clearTimeout(timer)
          answer(result)
        }
        child ??= start()
        child.send({ task, limits } satisfies ChildRequest)
      }),
    close: () => give('the job was stopped'),
  }
}
