import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { type LibraryCounts, packStatistics } from '../search/statistics.ts'
import { childEnv } from '../system/child-env.ts'

/** Sorting so many takes some 100 ms. */
const manyTerms = 40_000

/** Packs statistics; those of a large vocabulary in a thread of its own, since sorting it would hold up every answer. */
export async function packInThread(counts: LibraryCounts): Promise<Uint8Array> {
  if (counts.frequencies.length < manyTerms) return packStatistics(counts)
  const worker = new Worker(new URL('./pack-worker.ts', import.meta.url), { workerData: counts, env: childEnv() })
  try {
    const [bytes] = await once(worker, 'message')
    return bytes
  } finally {
    await worker.terminate()
  }
}
