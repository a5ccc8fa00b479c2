import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Documentation } from '../documentation.ts'
import { quantile, type Report, type Wanted } from '../report.ts'
import { proseWriter, vocabularyOf } from '../words.ts'
import { bundleText } from './bundle-text.ts'
import { startEmbedder } from './embedder-thread.ts'
import { importRun } from './import-run.ts'

/** Snippets of about 9 kB: a bundle contains their prose twice. */
const padding = 4280
const large = 54_000

/** One library of almost 500 MB without and with vectors, and a body of almost 2 GB without. No corpus is that large. */
export async function benchLargeImport(report: Report, folder: string, texts: Documentation): Promise<void> {
  await mkdir(folder, { recursive: true })
  const vocabulary = vocabularyOf(texts)
  const one = await writeBody(join(folder, 'one.json'), ['one'], vocabulary)
  await tell(report, 'one library', join(folder, 'plain'), {}, one, { max: 120 })
  const embedder = await startEmbedder(1024)
  await tell(report, 'one library with vectors', join(folder, 'embedded'), embedder.settings, one)
  await embedder.close()
  const four = await writeBody(join(folder, 'four.json'), ['a', 'b', 'c', 'd'], vocabulary)
  await tell(report, 'four libraries in one body', join(folder, 'four'), {}, four)
}

async function writeBody(path: string, names: string[], vocabulary: string[]): Promise<string> {
  const elements = names.map((name) => ({ project: `/bench/${name}`, snippets: large, padding }))
  await pipeline(Readable.from(bundleText(elements, proseWriter(vocabulary, 11))), createWriteStream(path))
  return path
}

async function tell(
  { note }: Report,
  what: string,
  dataDir: string,
  settings: Record<string, unknown>,
  path: string,
  wanted?: Wanted,
): Promise<void> {
  const run = await importRun(dataDir, settings, () => createReadStream(path))
  const megabytes = ((await stat(path)).size / 1e6).toFixed(0)
  const figure = `${what}, generated, ${megabytes} MB of JSON: searchable`
  const more = `answered after ${(run.answeredMs / 1000).toFixed(0)} s`
  const limit = wanted && { wanted }
  note({ figure, ...limit, measured: run.endedMs / 1000, unit: 's', cpuSeconds: run.cpuSeconds, more })
  note({ figure: '  peak RSS above idle', wanted: { max: 500 }, measured: run.aboveMb, unit: 'MB' })
  const p95 = `p95 ${quantile(run.healths, 0.95).toFixed(0)}`
  note({ figure: '  health meanwhile, slowest', wanted: { max: 100 }, measured: Math.max(...run.healths), unit: 'ms', more: p95 })
}
