import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import pLimit from 'p-limit'
import type { PackageNames } from './discover/package-names.ts'
import { patience, type TimeLimit, type Unread } from './patience.ts'
import { loneReader } from './split-alone.ts'
import type { SplitResult, SplitTask } from './split-file.ts'
import type { WorkerAnswer, WorkerRequest } from './split-worker.ts'

export type SplitLimits = {
  workers: number
  /** For one file. */
  timeMs: number
  heapMb: number
  /** Larger files are read in a process of their own: a thread that needs much memory at once takes its process with it. */
  threadBytes: number
}

/** Reads files where hostile input may loop or exhaust its heap without harm. */
export type SplitPool = {
  split(task: SplitTask): Promise<SplitResult>
  /** The same in a process of its own whatever its size, for a file that may have killed a server; one at a time. */
  splitAlone(task: SplitTask): Promise<SplitResult>
  /** Files that the given ones take into themselves; none where that cannot be told. */
  includes(root: string, paths: string[], fileBytes: number): Promise<string[]>
  /** What the manifests of a clone call it; nothing where that cannot be told. */
  packageNames(root: string): Promise<PackageNames>
  /** After each version: gives back the memory of readers that have nothing to do, and forgets how many files were not got through. */
  rest(): Promise<void>
  /** Ends every reader at once; what was asked is answered as skipped. */
  close(): Promise<void>
}

type Outcome = WorkerAnswer | Unread
type Asked = { request: WorkerRequest; answer(outcome: Outcome): void }
/** A worker thread; `end` takes the outcome of what it is reading. */
type Reader = { worker: Worker; end: ((outcome: Outcome) => void) | undefined }

const stopped: Unread = { skipped: 'the job was stopped' }
const youngHeapMb = 16
const stackMb = 4

/** Worker threads with a time and a heap limit a file; one that breaks a limit is ended and replaced. */
export function splitPool(limits: SplitLimits): SplitPool {
  const idle: Reader[] = []
  const all = new Set<Reader>()
  const waiting: Asked[] = []
  const closing = new AbortController()
  const { signal } = closing
  const patient = patience(limits.timeMs)
  const alone = loneReader(limits)
  const inTurn = pLimit(1)

  const ask = (request: WorkerRequest) =>
    new Promise<Outcome>((answer) => {
      if (signal.aborted) return answer(stopped)
      waiting.push({ request, answer })
      serveNext()
    })

  const serveNext = () => {
    while (!signal.aborted && waiting.length > 0 && (idle.length > 0 || all.size < limits.workers)) {
      const next = waiting.shift()
      const limit = patient.forNext()
      if ('skipped' in limit) next?.answer(limit)
      else if (next) serve(idle.pop() ?? start(), next, limit)
    }
  }

  const start = (): Reader => {
    const worker = new Worker(new URL('./split-worker.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: limits.heapMb, maxYoungGenerationSizeMb: youngHeapMb, stackSizeMb: stackMb },
      env: {},
    })
    const reader: Reader = { worker, end: undefined }
    worker.on('message', (answer: WorkerAnswer) => reader.end?.(answer))
    worker.on('error', (error) => reader.end?.(broken(whyBroken(error, limits))))
    worker.on('exit', () => reader.end?.(signal.aborted ? stopped : broken('its parser ended without an answer')))
    all.add(reader)
    return reader
  }

  const serve = (reader: Reader, { request, answer }: Asked, { timeMs, late }: TimeLimit) => {
    const timer = setTimeout(() => reader.end?.(late), timeMs)
    reader.end = (outcome) => {
      reader.end = undefined
      clearTimeout(timer)
      if ('skipped' in outcome) {
        patient.lose()
        all.delete(reader)
        void reader.worker.terminate()
      } else idle.push(reader)
      answer(outcome)
      serveNext()
    }
    reader.worker.postMessage(request)
  }

  const splitAlone = (task: SplitTask) =>
    inTurn(async (): Promise<SplitResult> => {
      if (signal.aborted) return stopped
      const limit = patient.forNext()
      if ('skipped' in limit) return limit
      const result = await alone.split(task)
      if ('skipped' in result && result.unread) patient.lose()
      return result
    })

  return {
    async split(task) {
      if ((await sizeOf(task)) > limits.threadBytes) return splitAlone(task)
      const outcome = await ask({ split: task })
      if ('split' in outcome) return outcome.split
      return 'skipped' in outcome ? outcome : broken('its parser gave no answer')
    },
    splitAlone,
    async includes(root, paths, fileBytes) {
      const outcome = await ask({ includes: { root, paths, fileBytes } })
      return 'includes' in outcome ? outcome.includes : []
    },
    async packageNames(root) {
      const outcome = await ask({ packageNames: { root } })
      return 'packageNames' in outcome ? outcome.packageNames : { names: [] }
    },
    async rest() {
      patient.renew()
      alone.close()
      const resting = idle.splice(0)
      for (const reader of resting) all.delete(reader)
      await Promise.all(resting.map(({ worker }) => worker.terminate()))
    },
    async close() {
      closing.abort()
      alone.close()
      for (const { answer } of waiting.splice(0)) answer(stopped)
      const ending = [...all].map(({ worker }) => worker.terminate())
      for (const { end } of all) end?.(stopped)
      await Promise.all(ending)
    },
  }
}

/** Of what the path leads to; a reader says why it cannot be read. */
const sizeOf = async ({ root, path }: SplitTask): Promise<number> =>
  stat(join(root, path)).then(
    ({ size }) => size,
    () => 0,
  )

const broken = (skipped: string): Unread => ({ skipped, unread: 'broken' })

function whyBroken(error: Error & { code?: string }, { heapMb }: SplitLimits): string {
  return error.code === 'ERR_WORKER_OUT_OF_MEMORY'
    ? `it needs more than ${heapMb} MB of memory to parse`
    : `its parser failed: ${error.message.slice(0, 300)}`
}
