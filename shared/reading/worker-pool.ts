import type { Worker } from 'node:worker_threads'
import { childEnv } from '../system/child-env.ts'
import { storeSpareWorker, takeSpareWorker } from '../system/spare-worker.ts'
import { isOutOfMemory, startThread } from '../system/start-thread.ts'
import { excerpt } from '../text/excerpt.ts'
import { type Skip, type TimeLimit, type TimeLimits, timeLimits } from './time-limits.ts'

export type WorkerLimits = {
  workers: number
  /** Time limit per request. */
  timeMs: number
  heapMb: number
}

/** Worker threads that reply to each request with one message. */
export type WorkerPool<Request, Reply> = {
  /** Waits for a free worker. */
  request(request: Request): Promise<Reply | Skip>
  /** Releases idle workers. The next pool may take over those that hold little memory; they end after half a minute. */
  rest(): Promise<void>
  /** Ends every worker immediately; pending requests resolve as skipped. */
  close(): Promise<void>
  readonly closed: boolean
  readonly timeLimits: TimeLimits
}

type PendingRequest<Request, Reply> = { request: Request; resolve(outcome: Reply | Skip): void }
/** `end` settles the request that the worker is serving. */
type PooledWorker<Reply> = { worker: Worker; end: ((outcome: Reply | Skip) => void) | undefined }

export const stopped: Skip = { skipped: 'the job was stopped' }
const youngHeapMb = 8
const stackMb = 4

/** Starts worker threads on demand, with a time and a heap limit per request. A worker that exceeds a limit is ended and replaced. */
export function workerPool<Request, Reply extends object>(script: URL, limits: WorkerLimits): WorkerPool<Request, Reply> {
  const idle: PooledWorker<Reply>[] = []
  const all = new Set<PooledWorker<Reply>>()
  const pending: PendingRequest<Request, Reply>[] = []
  const closing = new AbortController()
  const { signal } = closing
  const times = timeLimits(limits.timeMs)
  const threadLimits = { heapMb: limits.heapMb, youngHeapMb, stackMb }
  const kind = JSON.stringify([script.href, threadLimits, childEnv()])

  const serveNext = () => {
    while (!signal.aborted && pending.length > 0 && (idle.length > 0 || all.size < limits.workers)) {
      const next = pending.shift()
      const limit = times.next()
      if ('skipped' in limit) next?.resolve(limit)
      else if (next) serve(idle.pop() ?? start(), next, limit)
    }
  }

  const start = (): PooledWorker<Reply> => {
    const worker = takeSpareWorker(kind) ?? startThread(script, { limits: threadLimits })
    const pooled: PooledWorker<Reply> = { worker, end: undefined }
    worker.on('message', (reply: Reply) => pooled.end?.(reply))
    worker.on('error', (error) => pooled.end?.(crashed(whyCrashed(error, limits))))
    worker.on('exit', () => pooled.end?.(signal.aborted ? stopped : crashed('its parser ended without an answer')))
    all.add(pooled)
    return pooled
  }

  const serve = (
    pooled: PooledWorker<Reply>,
    { request, resolve }: PendingRequest<Request, Reply>,
    { timeMs, timedOut }: TimeLimit,
  ) => {
    const timer = setTimeout(() => pooled.end?.(timedOut), timeMs)
    pooled.end = (outcome) => {
      pooled.end = undefined
      clearTimeout(timer)
      if ('skipped' in outcome) {
        times.countUnread()
        all.delete(pooled)
        void pooled.worker.terminate()
      } else idle.push(pooled)
      resolve(outcome)
      serveNext()
    }
    pooled.worker.postMessage(request)
  }

  const rest = async () => {
    const resting = idle.splice(0).map(async (pooled) => {
      all.delete(pooled)
      await storeSpareWorker(kind, pooled.worker, limits.heapMb / 4)
    })
    await Promise.all(resting)
  }

  return {
    timeLimits: times,
    get closed() {
      return signal.aborted
    },
    request: (request) =>
      new Promise((resolve) => {
        if (signal.aborted) return resolve(stopped)
        pending.push({ request, resolve })
        serveNext()
      }),
    rest,
    async close() {
      closing.abort()
      const resting = rest()
      for (const { resolve } of pending.splice(0)) resolve(stopped)
      const ending = [...all].map(({ worker }) => worker.terminate())
      for (const { end } of all) end?.(stopped)
      await Promise.all([resting, ...ending])
    },
  }
}

export const crashed = (skipped: string): Skip => ({ skipped, unread: 'crashed' })

function whyCrashed(error: Error, { heapMb }: WorkerLimits): string {
  return isOutOfMemory(error)
    ? `it needs more than ${heapMb} MB of memory to parse`
    : `its parser failed: ${excerpt(error.message, 300)}`
}
