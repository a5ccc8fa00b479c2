import { mkdtemp, rm } from 'node:fs/promises'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { benchAsking } from './onprem/bench-asking.ts'
import { benchEmbedding } from './onprem/bench-embedding.ts'
import { benchHybrid } from './onprem/bench-hybrid.ts'
import { benchImport } from './onprem/bench-import.ts'
import { benchLargeImport } from './onprem/bench-large-import.ts'
import { benchParsing } from './onprem/bench-parsing.ts'
import { benchStart } from './onprem/bench-start.ts'
import { benchZipImport } from './onprem/bench-zip-import.ts'
import { type Report, report } from './report.ts'

const benches: Record<string, (report: Report, folder: string) => Promise<void>> = {
  parsing: benchParsing,
  start: benchStart,
  asking: benchAsking,
  hybrid: benchHybrid,
  import: benchImport,
  embedding: benchEmbedding,
  'zip-import': benchZipImport,
  'large-import': benchLargeImport,
}

const { values } = parseArgs({ options: { only: { type: 'string' } } })
const chosen = Object.entries(benches).filter(([name]) => values.only === undefined || name === values.only)
if (chosen.length === 0) {
  console.error(`usage: npm run bench -- [--only ${Object.keys(benches).join('|')}]`)
  process.exit(2)
}

const figures = report()
const folder = await mkdtemp(join(tmpdir(), 'carrel-bench-'))
try {
  for (const [name, bench] of chosen) {
    console.error(`${name} …`)
    await bench(figures, join(folder, name))
  }
} finally {
  await rm(folder, { recursive: true, force: true })
}
console.log(`${cpus().length} × ${cpus()[0]?.model}, Node ${process.version}; ratio = measured ÷ limit`)
figures.print()
