import { mkdtemp, rm } from 'node:fs/promises'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { DocumentationOptions } from './documentation.ts'
import { benchBuilt } from './hosted/bench-built.ts'
import { benchContext, benchRecording } from './hosted/bench-context.ts'
import { benchFolding, benchWrites } from './hosted/bench-counting.ts'
import { benchDashboard } from './hosted/bench-dashboard.ts'
import { benchExport } from './hosted/bench-export.ts'
import { benchHotLibrary } from './hosted/bench-hot-library.ts'
import { benchMetrics } from './hosted/bench-metrics.ts'
import { benchS3 } from './hosted/bench-s3.ts'
import { benchService } from './hosted/bench-service.ts'
import { benchTraffic } from './hosted/bench-traffic.ts'
import { benchZip } from './hosted/bench-zip.ts'
import { type Report, report } from './report.ts'

const benches: Record<string, (report: Report, folder: string, documents: DocumentationOptions) => Promise<void>> = {
  folding: benchFolding,
  writes: benchWrites,
  'hot-library': benchHotLibrary,
  traffic: benchTraffic,
  metrics: benchMetrics,
  dashboard: benchDashboard,
  context: benchContext,
  recording: benchRecording,
  s3: benchS3,
  service: benchService,
  export: benchExport,
  zip: benchZip,
  built: benchBuilt,
}

const { values } = parseArgs({
  options: { only: { type: 'string' }, docs: { type: 'string', multiple: true }, kit: { type: 'string' } },
})
const chosen = Object.entries(benches).filter(([name]) => values.only === undefined || name === values.only)
if (chosen.length === 0) {
  console.error(`usage: npm run bench:hosted -- [--only ${Object.keys(benches).join('|')}] [--docs FOLDER]... [--kit KIT]
--docs names folders with documentation for s3 and service, one library each; --kit a folder that npm run eval reads.`)
  process.exit(2)
}

const figures = report()
const folder = await mkdtemp(join(tmpdir(), 'carrel-bench-hosted-'))
try {
  for (const [name, bench] of chosen) {
    console.error(`${name} …`)
    await bench(figures, folder, values)
  }
} finally {
  await rm(folder, { recursive: true, force: true })
}
console.log('The text of all snippets is generated, except for s3 and service.')
console.log(`${cpus().length} × ${cpus()[0]?.model}, Node ${process.version}; ratio = measured ÷ limit`)
figures.print()
