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

/** Worker threads that reply to each `Batch` with one message. */
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

/**
 * Requests that a worker serves one after the other and replies to in one message, a list of replies. It stores the index of the request that it is
 * serving in `current`, with `Atomics`.
 */
export type Batch<Request> = { requests: Request[]; current: Int32Array<SharedArrayBuffer> }

type PendingRequest<Request, Reply> = { request: Request; since: number; resolve(outcome: Reply | Skip): void }
/** `end` settles the requests that the worker has. */
type PooledWorker<Reply> = {
  worker: Worker
  current: Batch<never>['current']
  isQuick: boolean
  end: ((outcome: Reply[] | Skip) => void) | undefined
}

export const stopped: Skip = { skipped: 'the job was stopped' }
const youngHeapMb = 8
/**
 * A further worker starts after this many requests for each that there is: it compiles its code again, which takes as long as a
 * thousand files.
 */
const requestsPerStart = 1_000
/** A request that has waited this long starts a further worker, too: those that there are have slow files. */
const maxWaitMs = 3_000
const stackMb = 4
/** A message to another thread takes as long as reading a small file. */
const maxBatch = 4
/** Behind a batch that took longer, requests wait for the next free worker. */
const quickMs = 100

/** Starts worker threads as the work goes on, with a time and a heap limit per request. A worker that exceeds a limit is ended and replaced. */
export function workerPool<Request, Reply extends object>(script: URL, limits: WorkerLimits): WorkerPool<Request, Reply> {
  const idle: PooledWorker<Reply>[] = []
  const all = new Set<PooledWorker<Reply>>()
  const pending: PendingRequest<Request, Reply>[] = []
  const closing = new AbortController()
  const { signal } = closing
  const times = timeLimits(limits.timeMs)
  const threadLimits = { heapMb: limits.heapMb, youngHeapMb, stackMb }
  const kind = JSON.stringify([script.href, threadLimits, childEnv()])

  let served = 0
  let retry: NodeJS.Timeout | undefined

  const serveNext = () => {
    while (!signal.aborted && pending.length > 0) {
      const limit = times.next()
      if ('skipped' in limit) {
        pending.shift()?.resolve(limit)
        continue
      }
      const pooled = idle.pop() ?? start()
      if (!pooled) return
      const share = Math.ceil(pending.length / all.size)
      serve(pooled, pending.splice(0, pooled.isQuick ? Math.min(share, maxBatch) : 1), limit)
    }
  }

  /** Returns undefined if no further worker may start yet. */
  const start = (): PooledWorker<Reply> | undefined => {
    if (all.size >= limits.workers) return undefined
    const worker = takeSpareWorker(kind) ?? startNew()
    if (!worker) return undefined
    const pooled: PooledWorker<Reply> = {
      worker,
      current: new Int32Array(new SharedArrayBuffer(4)),
      isQuick: false,
      end: undefined,
    }
    worker.on('message', (replies: Reply[]) => pooled.end?.(replies))
    worker.on('error', (error) => pooled.end?.(crashed(whyCrashed(error, limits))))
    worker.on('exit', () => pooled.end?.(signal.aborted ? stopped : crashed('its parser ended without an answer')))
    all.add(pooled)
    return pooled
  }

  const startNew = (): Worker | undefined => {
    const isLate = performance.now() - (pending[0]?.since ?? Number.POSITIVE_INFINITY) >= maxWaitMs
    if (served >= requestsPerStart * all.size || isLate) return startThread(script, { limits: threadLimits })
    clearTimeout(retry)
    retry = setTimeout(serveNext, maxWaitMs).unref()
    return undefined
  }

  const serve = (pooled: PooledWorker<Reply>, batch: PendingRequest<Request, Reply>[], { timeMs, timedOut }: TimeLimit) => {
    const { worker, current } = pooled
    const began = performance.now()
    let watched = 0
    const timer = setTimeout(() => {
      if (watched === current[0]) return pooled.end?.(timedOut)
      watched = current[0] as number
      timer.refresh()
    }, timeMs)
    pooled.end = (outcome) => {
      pooled.end = undefined
      clearTimeout(timer)
      if ('skipped' in outcome) {
        times.countUnread()
        all.delete(pooled)
        void worker.terminate()
        fail(batch, current[0] as number, outcome)
        serveNext()
        return
      }
      served += batch.length
      pooled.isQuick = performance.now() - began < quickMs
      idle.push(pooled)
      // The worker has its next batch before the replies are used.
      serveNext()
      for (const [i, { resolve }] of batch.entries()) resolve(outcome[i] as Reply)
    }
    Atomics.store(current, 0, 0)
    worker.postMessage({ requests: batch.map(({ request }) => request), current } satisfies Batch<Request>)
  }

  /** The outcome is that of the request that the worker was serving. The others of its batch are served again. */
  const fail = (batch: PendingRequest<Request, Reply>[], index: number, outcome: Skip) => {
    const ended = signal.aborted ? batch.splice(0) : batch.splice(index, 1)
    pending.unshift(...batch)
    for (const { resolve } of ended) resolve(outcome)
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
        pending.push({ request, since: performance.now(), resolve })
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
