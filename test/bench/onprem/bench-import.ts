import { join } from 'node:path'
import { median, quantile, type Report } from '../report.ts'
import { bundleText } from './bundle-text.ts'
import { startEmbedder } from './embedder-thread.ts'
import { type ImportRun, importRun } from './import-run.ts'

const runs = 3
const snippets = 50_000
const dimensions = 1024

/** A library of 50,000 snippets as JSON, with vectors of a provider that responds immediately, and without. */
export async function benchImport(report: Report, folder: string): Promise<void> {
  const body = () => bundleText([{ project: '/bench/import', snippets }])
  const embedder = await startEmbedder(dimensions)
  const embedded: ImportRun[] = []
  const plain: ImportRun[] = []
  for (let run = 0; run < runs; run++) {
    embedded.push(await importRun(join(folder, `embedded-${run}`), embedder.settings, body))
    plain.push(await importRun(join(folder, `plain-${run}`), {}, body))
  }
  await embedder.close()
  tell(report, `import of 50,000 snippets, instant embedder of ${dimensions} dims`, embedded, 3000)
  tell(report, 'import of 50,000 snippets without vectors', plain)
}

function tell({ note }: Report, figure: string, taken: ImportRun[], min?: number): void {
  const speeds = taken.map(({ endedMs }) => snippets / (endedMs / 1000))
  const answered = median(taken.map(({ answeredMs }) => answeredMs)) / 1000
  const wanted = min === undefined ? {} : { wanted: { min } }
  note({ figure, ...wanted, measured: median(speeds), unit: 'snippets/s', more: `answered after ${answered.toFixed(1)} s` })
  const above = median(taken.map(({ aboveMb }) => aboveMb))
  const idle = median(taken.map(({ idleMb }) => idleMb))
  note({
    figure: '  peak RSS above idle',
    wanted: { max: 400 },
    measured: above,
    unit: 'MB',
    more: `idle ${idle.toFixed(0)} MB`,
  })
  const healths = taken.flatMap((run) => run.healths)
  const more = `p50 ${median(healths).toFixed(1)}, p95 ${quantile(healths, 0.95).toFixed(0)}`
  note({ figure: '  health meanwhile, slowest', wanted: { max: 100 }, measured: Math.max(...healths), unit: 'ms', more })
}
