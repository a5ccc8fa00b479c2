import { once } from 'node:events'
import { parentPort, workerData } from 'node:worker_threads'
import { type WorkerLimits, workerPool } from '../reading/worker-pool.ts'
import { type Analysed, analyseElement } from './analyse-element.ts'
import type { PagesReply, PagesRequest } from './page-worker.ts'

const { folder, earlier, limits } = workerData as { folder: string; earlier: Analysed; limits: WorkerLimits }
const readers = workerPool<PagesRequest, PagesReply>(new URL('./page-worker.ts', import.meta.url), { ...limits, workers: 1 })
const batches = analyseElement(folder, earlier, readers)
for (let coming = batches.next(); ; ) {
  const next = await coming
  if (next.done) {
    const statistics = new Uint8Array(next.value)
    parentPort?.postMessage({ statistics }, [statistics.buffer])
    break
  }
  parentPort?.postMessage({ batch: next.value })
  coming = batches.next()
  // One batch ahead of its consumer, so that both work.
  if (parentPort) await once(parentPort, 'message')
}
await readers.close()
