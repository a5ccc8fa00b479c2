import { join } from 'node:path'
import type { Documentation } from '../documentation.ts'
import type { Report } from '../report.ts'
import { startEmbedder } from './embedder-thread.ts'
import { exportedBody } from './exported-body.ts'
import { importRun } from './import-run.ts'

const minSnippets = 20_000
const delayMs = 100

/** Measures how well an import uses the allowed number of concurrent requests if each takes 100 ms. */
export async function benchEmbedding({ note }: Report, folder: string, { libraries }: Documentation): Promise<void> {
  const body = await exportedBody(folder, libraries, minSnippets)
  const embedder = await startEmbedder(1024, delayMs)
  const { cpuSeconds } = await importRun(join(folder, 'embedding'), embedder.settings, body.read)
  const { requests, texts, firstMs, lastMs, maxInFlight } = await embedder.stats()
  await embedder.close()
  const share = (requests * delayMs) / maxInFlight / (lastMs - firstMs)
  note({
    figure: `import with an embedder of ${delayMs} ms per request: share of the allowed concurrency`,
    wanted: { min: 90 },
    measured: share * 100,
    unit: '%',
    cpuSeconds,
    more: `${requests} requests of ${(texts / requests).toFixed(0)} texts, ${maxInFlight} at once`,
  })
}
