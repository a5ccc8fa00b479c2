import { once } from 'node:events'
import { AppError } from '../errors.ts'
import type { WorkerLimits } from '../reading/worker-pool.ts'
import { storeSpareWorker, takeSpareWorker } from '../system/spare-worker.ts'
import { isOutOfMemory, startThread } from '../system/start-thread.ts'
import type { Analysed, AnalysedBatch } from './analyse-element.ts'
import type { AnalyseReply, AnalyseRequest } from './analyse-worker.ts'

const heapMb = 512
const script = new URL('./analyse-worker.ts', import.meta.url)

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
  const worker = takeSpareWorker(script.href) ?? startThread(script, { limits: { heapMb, youngHeapMb: 16 } })
  const send = (request: AnalyseRequest) => worker.postMessage(request)
  const next = async (): Promise<AnalyseReply> => {
    const [message] = await once(worker, 'message', { signal }).catch((error: unknown) => Promise.reject(asAppError(error)))
    return message
  }
  let isIdle = false
  try {
    send({ folder, earlier, limits: { timeMs, heapMb: pageHeapMb } })
    for (let coming = next(); ; ) {
      const { batch, statistics } = await coming
      if (statistics) {
        isIdle = true
        return statistics
      }
      coming = next()
      coming.catch(() => undefined)
      send('next')
      yield batch
    }
  } finally {
    if (isIdle) await storeSpareWorker(script.href, worker, heapMb / 4)
    else await worker.terminate()
  }
}

const asAppError = (error: unknown): unknown =>
  isOutOfMemory(error)
    ? new AppError('library_too_large', `Analysing this library needs more than ${heapMb} MB of memory.`, { cause: error })
    : error
