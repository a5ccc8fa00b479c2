import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Documentation } from '../documentation.ts'
import { measured, median, quantile, type Report } from '../report.ts'
import { startEmbedder } from './embedder-thread.ts'
import { type Body, exportedBody } from './exported-body.ts'
import { importFloor } from './floor.ts'
import { type ImportRun, importRun } from './import-run.ts'

const runs = 3
const minSnippets = 30_000
const dimensions = 1024

/** Real exports as JSON, without vectors, and with those of a provider that responds immediately. */
export async function benchImport(report: Report, folder: string, { libraries }: Documentation): Promise<void> {
  const body = await exportedBody(folder, libraries, minSnippets)
  const embedder = await startEmbedder(dimensions)
  const embedded: ImportRun[] = []
  const plain: ImportRun[] = []
  for (let run = 0; run < runs; run++) {
    plain.push(await importRun(join(folder, `plain-${run}`), {}, body.read))
    embedded.push(await importRun(join(folder, `embedded-${run}`), embedder.settings, body.read))
  }
  await embedder.close()
  const megabytes = ((await stat(body.path)).size / 1e6).toFixed(0)
  const what = `import of ${body.snippets} exported snippets, ${body.libraries} libraries, ${megabytes} MB`
  tell(report, `${what}, without vectors`, body, plain)
  await tellFloor(report, folder, body)
  tell(report, `${what}, instant embedder of ${dimensions} dims`, body, embedded)
}

function tell({ note }: Report, figure: string, { snippets }: Body, taken: ImportRun[]): void {
  const speeds = taken.map(({ endedMs }) => snippets / (endedMs / 1000))
  const answered = median(taken.map(({ answeredMs }) => answeredMs)) / 1000
  note({
    figure,
    wanted: { min: 3000 },
    measured: median(speeds),
    unit: 'snippets/s',
    cpuSeconds: median(taken.map(({ cpuSeconds }) => cpuSeconds)),
    more: `answered after ${answered.toFixed(1)} s`,
  })
  const above = median(taken.map(({ aboveMb }) => aboveMb))
  const idle = median(taken.map(({ idleMb }) => idleMb))
  note({ figure: '  peak RSS above idle', wanted: { max: 400 }, measured: above, unit: 'MB', more: `idle ${idle.toFixed(0)} MB` })
  const healths = taken.flatMap((run) => run.healths)
  const more = `p50 ${median(healths).toFixed(1)}, p95 ${quantile(healths, 0.95).toFixed(0)}`
  note({ figure: '  health meanwhile, slowest', wanted: { max: 100 }, measured: Math.max(...healths), unit: 'ms', more })
}

async function tellFloor({ note }: Report, folder: string, { path, snippets }: Body): Promise<void> {
  const text = await readFile(path, 'utf8')
  const { ms, cpuSeconds } = await measured(() => importFloor(text, join(folder, 'floor.db')))
  const figure = '  floor: JSON.parse of the body, SQLite FTS5'
  note({ figure, measured: snippets / (ms / 1000), unit: 'snippets/s', cpuSeconds })
}
