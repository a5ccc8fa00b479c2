import { join } from 'node:path'
import type { Report } from '../report.ts'
import { bundleText, type MadeElement } from './bundle-text.ts'
import { startEmbedder } from './embedder-thread.ts'
import { importRun } from './import-run.ts'

/** Snippets of about 9 kB: a bundle contains their prose twice. */
const padding = 4280
const large = 54_000

/** One library of almost 500 MB with vectors, and a body of almost 2 GB without. */
export async function benchLargeImport(report: Report, folder: string): Promise<void> {
  const embedder = await startEmbedder(1024)
  const one = [{ project: '/bench/large', snippets: large, padding }]
  await tell(report, 'one library', join(folder, 'one'), embedder.settings, one)
  await embedder.close()
  const four = ['a', 'b', 'c', 'd'].map((name) => ({ project: `/bench/${name}`, snippets: large, padding }))
  await tell(report, 'four libraries in one body', join(folder, 'four'), {}, four)
}

async function tell(
  { note }: Report,
  what: string,
  dataDir: string,
  settings: Record<string, unknown>,
  elements: MadeElement[],
): Promise<void> {
  let bytes = 0
  const run = await importRun(dataDir, settings, async function* () {
    for await (const chunk of bundleText(elements)) {
      bytes += chunk.length
      yield chunk
    }
  })
  const more = `answered after ${(run.answeredMs / 1000).toFixed(0)} s, searchable after ${(run.endedMs / 1000).toFixed(0)} s`
  const figure = `${what}, ${(bytes / 1e6).toFixed(0)} MB of JSON: peak RSS above idle`
  note({ figure, wanted: { max: 1000 }, measured: run.aboveMb, unit: 'MB', more })
  note({ figure: '  health meanwhile, slowest', wanted: { max: 100 }, measured: Math.max(...run.healths), unit: 'ms' })
}
