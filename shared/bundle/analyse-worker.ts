import { parentPort } from 'node:worker_threads'
import { type WorkerLimits, workerPool } from '../reading/worker-pool.ts'
import { rowBuffers } from '../search/rows/pack-rows.ts'
import { packStatistics } from '../search/statistics/pack-statistics.ts'
import { type Analysed, type AnalysedBatch, analyseElement } from './analyse-element.ts'
import type { PagesReply, PagesRequest } from './page-worker.ts'

/** An element to analyse; then `next` for each batch after the first. */
export type AnalyseRequest = { folder: string; earlier: Analysed; limits: Omit<WorkerLimits, 'workers'> } | 'next'
export type AnalyseReply = { batch: AnalysedBatch; statistics?: never } | { statistics: Uint8Array; batch?: never }

let sendNext: (() => void) | undefined

async function analyse({ folder, earlier, limits }: Exclude<AnalyseRequest, 'next'>): Promise<void> {
  const readers = workerPool<PagesRequest, PagesReply>(new URL('./page-worker.ts', import.meta.url), { ...limits, workers: 1 })
  const batches = analyseElement(folder, earlier, readers)
  for (let coming = batches.next(); ; ) {
    const next = await coming
    if (next.done) {
      // Frees its memory before the statistics take theirs.
      await readers.close()
      const statistics = packStatistics(next.value)
      parentPort?.postMessage({ statistics } satisfies AnalyseReply, [statistics.buffer])
      return
    }
    parentPort?.postMessage({ batch: next.value } satisfies AnalyseReply, rowBuffers(next.value.rows))
    coming = batches.next()
    // One batch ahead of its consumer, so that both work.
    await new Promise<void>((resolve) => {
      sendNext = resolve
    })
  }
}

parentPort?.on('message', (request: AnalyseRequest) => {
  if (request === 'next') sendNext?.()
  else void analyse(request)
})
