import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { BundleStatus } from '../../../functions/bundles/bundle-status.ts'
import { median, quantile, type Report, timed } from '../report.ts'
import { addBenchLibrary, madeUp } from './add-bench-library.ts'
import { onFreshHosted } from './hosted-process.ts'
import { withHosted } from './temp-hosted.ts'

const runs = 3

/** A zip of 50 libraries with 1,200 snippets each, built in the background during health checks. */
export async function benchZip({ note }: Report, folder: string): Promise<void> {
  const dataDir = join(folder, 'zip')
  const libraries = Array.from({ length: 50 }, (_, n) => `/bench/zip-${n}`)
  const bytes = await withHosted(dataDir, async (hosted) => {
    let sum = 0
    for (const [n, address] of libraries.entries()) sum += await addBenchLibrary(hosted, address, madeUp(1200, n))
    return sum
  })
  const seconds: number[] = []
  const above: number[] = []
  const healths: number[] = []
  for (let run = 0; run < runs; run++) {
    await onFreshHosted(dataDir, async (server, idleMb) => {
      const began = performance.now()
      const { id } = await server.admin<{ id: string }>('bundles', { libraries })
      for (let state = 'building'; state !== 'built'; await sleep(50)) {
        const found = await server.admin<BundleStatus>(`bundles/${id}`)
        if (found.state === 'failed') throw new Error(found.message)
        state = found.state
        healths.push(await timed(() => fetch(`${server.url}/api/health`)))
      }
      seconds.push((performance.now() - began) / 1000)
      above.push(server.peakMb() - idleMb)
    })
  }
  const figure = `zip of 50 libraries, 60,000 snippets, ${(bytes / 1e6).toFixed(0)} MB: peak RSS above idle`
  note({ figure, wanted: { max: 250 }, measured: median(above), unit: 'MB' })
  note({ figure: '  built after', measured: median(seconds), unit: 's' })
  note({ figure: '  health meanwhile, p95', wanted: { max: 300 }, measured: quantile(healths, 0.95), unit: 'ms' })
}
