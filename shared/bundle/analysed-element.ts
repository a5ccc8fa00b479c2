import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { AppError } from '../errors.ts'
import type { WorkerLimits } from '../reading/worker-pool.ts'
import { childEnv } from '../system/child-env.ts'
import type { Analysed, AnalysedBatch } from './analyse-element.ts'

type Message = { batch: AnalysedBatch; statistics?: never } | { statistics: Uint8Array; batch?: never }

/** Excludes the typed arrays of the statistics. */
const heapMb = 512

/**
 * Runs `analyseElement` in a separate thread, so that responses are not delayed. Another thread reads the pages within the limits. Throws
 * library_too_large if the thread runs out of memory.
 */
export async function* analysedElement(
  folder: string,
  earlier: Analysed,
  { timeMs, heapMb: pageHeapMb }: Pick<WorkerLimits, 'timeMs' | 'heapMb'>,
  signal: AbortSignal,
): AsyncGenerator<AnalysedBatch, Uint8Array> {
  const worker = new Worker(new URL('./analyse-worker.ts', import.meta.url), {
    workerData: { folder, earlier, limits: { timeMs, heapMb: pageHeapMb } },
    env: childEnv(),
    resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: 16 },
  })
  const next = async (): Promise<Message> => {
    const [message] = await once(worker, 'message', { signal }).catch((error: unknown) => Promise.reject(asAppError(error)))
    return message
  }
  try {
    for (let coming = next(); ; ) {
      const { batch, statistics } = await coming
      if (statistics) return statistics
      coming = next()
      coming.catch(() => undefined)
      worker.postMessage('next')
      yield batch
    }
  } finally {
    await worker.terminate()
  }
}

const asAppError = (error: unknown): unknown =>
  error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'
    ? new AppError('library_too_large', `Analysing this library needs more than ${heapMb} MB of memory.`, { cause: error })
    : error
