import { once } from 'node:events'
import { packStatistics } from '../../search/statistics/pack-statistics.ts'
import type { LibraryCounts } from '../../search/statistics/statistics.ts'
import { startThread } from '../../system/start-thread.ts'

/** More terms are sorted in a thread, because sorting blocks other requests. */
const maxTermsInline = 40_000

/** Packs statistics; a large vocabulary in a separate thread, since sorting it would delay every response. */
export async function packInThread(counts: LibraryCounts): Promise<Uint8Array> {
  if (counts.frequencies.length < maxTermsInline) return packStatistics(counts)
  const worker = startThread(new URL('./pack-worker.ts', import.meta.url), { data: counts })
  try {
    const [bytes] = await once(worker, 'message')
    return bytes
  } finally {
    await worker.terminate()
  }
}
