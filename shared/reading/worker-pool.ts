import { Worker } from 'node:worker_threads'
import { childEnv } from '../system/child-env.ts'
import { storeSpareWorker, takeSpareWorker } from './spare-worker.ts'
import { type TimeLimit, type TimeLimits, timeLimits, type Unread } from './time-limits.ts'

export type WorkerLimits = {
  workers: number
  /** For one request. */
  timeMs: number
  heapMb: number
}

/** Worker threads that answer each request with one message. */
export type WorkerPool<Request, Answer> = {
  /** Requests wait in turn for a free reader. */
  ask(request: Request): Promise<Answer | Unread>
  /** Ends the readers that have nothing to do, but for one that is kept for a moment. */
  rest(): Promise<void>
  /** Ends every reader immediately; pending requests are answered as skipped. */
  close(): Promise<void>
  readonly closed: boolean
  readonly patience: TimeLimits
}

type PendingRequest<Request, Answer> = { request: Request; answer(outcome: Answer | Unread): void }
/** A worker thread; `end` takes the outcome of what it is reading. */
type PooledWorker<Answer> = { worker: Worker; end: ((outcome: Answer | Unread) => void) | undefined }

export const stopped: Unread = { skipped: 'the job was stopped' }
const youngHeapMb = 16
const stackMb = 4

/** Worker threads with a time and a heap limit per request; one that breaks a limit is ended and replaced. */
export function workerPool<Request, Answer extends object>(script: URL, limits: WorkerLimits): WorkerPool<Request, Answer> {
  const idle: PooledWorker<Answer>[] = []
  const all = new Set<PooledWorker<Answer>>()
  const waiting: PendingRequest<Request, Answer>[] = []
  const closing = new AbortController()
  const { signal } = closing
  const patient = timeLimits(limits.timeMs)
  const resourceLimits = { maxOldGenerationSizeMb: limits.heapMb, maxYoungGenerationSizeMb: youngHeapMb, stackSizeMb: stackMb }
  const kind = JSON.stringify([script.href, resourceLimits, childEnv()])

  const serveNext = () => {
    while (!signal.aborted && waiting.length > 0 && (idle.length > 0 || all.size < limits.workers)) {
      const next = waiting.shift()
      const limit = patient.forNext()
      if ('skipped' in limit) next?.answer(limit)
      else if (next) serve(idle.pop() ?? start(), next, limit)
    }
  }

  const start = (): PooledWorker<Answer> => {
    const worker = takeSpareWorker(kind) ?? new Worker(script, { resourceLimits, env: childEnv() })
    const reader: PooledWorker<Answer> = { worker, end: undefined }
    worker.on('message', (answer: Answer) => reader.end?.(answer))
    worker.on('error', (error) => reader.end?.(broken(whyBroken(error, limits))))
    worker.on('exit', () => reader.end?.(signal.aborted ? stopped : broken('its parser ended without an answer')))
    all.add(reader)
    return reader
  }

  const serve = (
    reader: PooledWorker<Answer>,
    { request, answer }: PendingRequest<Request, Answer>,
    { timeMs, late }: TimeLimit,
  ) => {
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

  const rest = async () => {
    const [spare, ...others] = idle.splice(0).map((reader) => {
      all.delete(reader)
      return reader.worker
    })
    const ended = others.map((worker) => worker.terminate())
    await Promise.all([spare && storeSpareWorker(kind, spare, limits.heapMb / 4), ...ended])
  }

  return {
    patience: patient,
    get closed() {
      return signal.aborted
    },
    ask: (request) =>
      new Promise((answer) => {
        if (signal.aborted) return answer(stopped)
        waiting.push({ request, answer })
        serveNext()
      }),
    rest,
    async close() {
      closing.abort()
      const resting = rest()
      for (const { answer } of waiting.splice(0)) answer(stopped)
      const ending = [...all].map(({ worker }) => worker.terminate())
      for (const { end } of all) end?.(stopped)
      await Promise.all([resting, ...ending])
    },
  }
}

export const broken = (skipped: string): Unread => ({ skipped, unread: 'broken' })

function whyBroken(error: Error & { code?: string }, { heapMb }: WorkerLimits): string {
  return error.code === 'ERR_WORKER_OUT_OF_MEMORY'
    ? `it needs more than ${heapMb} MB of memory to parse`
    : `its parser failed: ${error.message.slice(0, 300)}`
}
