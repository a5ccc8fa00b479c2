import { fork } from 'node:child_process'
import { Worker } from 'node:worker_threads'
import type { SplitResult, SplitTask } from './split-file.ts'
import type { WorkerRequest } from './split-worker.ts'

export type SplitLimits = { workers: number; timeMs: number; heapMb: number }

/** Reads files where hostile input may loop or exhaust its heap without harm. */
export type SplitPool = {
  split(task: SplitTask): Promise<SplitResult>
  /** The same in a process of its own, for a file that may have killed a server. */
  splitAlone(task: SplitTask): Promise<SplitResult>
  includes(root: string, paths: string[], fileBytes: number): Promise<string[]>
  close(): Promise<void>
}

type Waiting = { request: WorkerRequest; answer(result: unknown): void }
/** A worker thread; `end` takes the outcome of what it is reading now. */
type Reader = { worker: Worker; end: ((result: unknown, broken: boolean) => void) | undefined }

/** Worker threads with a time and a heap limit a file; one that breaks a limit is ended and replaced. */
export function splitPool(limits: SplitLimits): SplitPool {
  const idle: Reader[] = []
  const all = new Set<Reader>()
  const waiting: Waiting[] = []
  let closed = false

  const ask = (request: WorkerRequest) =>
    new Promise<unknown>((answer) => {
      waiting.push({ request, answer })
      pump()
    })

  function pump() {
    while (!closed && waiting.length > 0 && (idle.length > 0 || all.size < limits.workers)) {
      const next = waiting.shift()
      if (next) serve(idle.pop() ?? start(), next)
    }
  }

  function start(): Reader {
    const worker = new Worker(new URL('./split-worker.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: limits.heapMb, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 },
      env: {},
    })
    const reader: Reader = { worker, end: undefined }
    const broken = (reason: string) => reader.end?.({ skipped: reason }, true)
    worker.on('message', (result) => reader.end?.(result, false))
    worker.on('error', (error) => broken(outOfMemory(error, limits) ?? `its parser failed: ${error.message}`))
    worker.on('exit', () => broken(closed ? 'the job was stopped' : 'its parser ended without an answer'))
    all.add(reader)
    return reader
  }

  function serve(reader: Reader, { request, answer }: Waiting) {
    const timer = setTimeout(
      () => reader.end?.({ skipped: `it took longer than ${limits.timeMs / 1000} s to parse` }, true),
      limits.timeMs,
    )
    reader.end = (result, broken) => {
      reader.end = undefined
      clearTimeout(timer)
      if (broken) {
        all.delete(reader)
        void reader.worker.terminate()
      } else idle.push(reader)
      answer(result)
      pump()
    }
    reader.worker.postMessage(request)
  }

  return {
    split: (task) => ask({ split: task }) as Promise<SplitResult>,
    splitAlone: (task) => splitAlone(task, limits),
    async includes(root, paths, fileBytes) {
      const answer = await ask({ includes: { root, paths, fileBytes } })
      return Array.isArray(answer) ? answer : []
    },
    async close() {
      closed = true
      for (const each of waiting.splice(0)) each.answer({ skipped: 'the job was stopped' })
      await Promise.all([...all].map(({ worker }) => worker.terminate()))
      all.clear()
    },
  }
}

function outOfMemory(error: Error & { code?: string }, { heapMb }: SplitLimits): string | undefined {
  return error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? `it needs more than ${heapMb} MB of memory to parse` : undefined
}

function splitAlone(task: SplitTask, { timeMs, heapMb }: SplitLimits): Promise<SplitResult> {
  return new Promise((answer) => {
    const child = fork(new URL('./split-child.ts', import.meta.url), {
      execArgv: [`--max-old-space-size=${heapMb}`],
      env: {},
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    const end = (result: SplitResult) => {
      clearTimeout(timer)
      child.kill('SIGKILL')
      answer(result)
    }
    const timer = setTimeout(() => end({ skipped: `it took longer than ${timeMs / 1000} s to parse, alone` }), timeMs)
    child.once('message', (result) => end(result as SplitResult))
    child.once('error', (error) => end({ skipped: `its parser could not be started: ${error.message}` }))
    child.once('exit', () => end({ skipped: 'it ended the process that parsed it' }))
    child.send(task)
  })
}
