import { mkdtemp, rm } from 'node:fs/promises'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Documentation, documentation } from './documentation.ts'
import { bytesOf } from './libraries.ts'
import { benchAsking } from './onprem/bench-asking.ts'
import { benchChecks } from './onprem/bench-checks.ts'
import { benchCrawling } from './onprem/bench-crawling.ts'
import { benchEmbedding } from './onprem/bench-embedding.ts'
import { benchEverything } from './onprem/bench-everything.ts'
import { benchHidden } from './onprem/bench-hidden.ts'
import { benchHybrid } from './onprem/bench-hybrid.ts'
import { benchImport } from './onprem/bench-import.ts'
import { benchLargeImport } from './onprem/bench-large-import.ts'
import { benchLocalModels } from './onprem/bench-local-models.ts'
import { benchMemory } from './onprem/bench-memory.ts'
import { benchParsing } from './onprem/bench-parsing.ts'
import { benchStart } from './onprem/bench-start.ts'
import { benchZipImport } from './onprem/bench-zip-import.ts'
import { type Report, report } from './report.ts'

type Bench = (report: Report, folder: string, texts: Documentation, peer: string | undefined) => Promise<void>

const benches: Record<string, Bench> = {
  parsing: benchParsing,
  start: benchStart,
  crawling: benchCrawling,
  asking: benchAsking,
  hybrid: benchHybrid,
  everything: benchEverything,
  memory: benchMemory,
  import: benchImport,
  embedding: benchEmbedding,
  checks: benchChecks,
  hidden: benchHidden,
  'local-models': benchLocalModels,
  'zip-import': benchZipImport,
  'large-import': benchLargeImport,
}

const options = {
  only: { type: 'string' },
  docs: { type: 'string', multiple: true },
  kit: { type: 'string' },
  peer: { type: 'string' },
} as const
const { values } = parseArgs({ options })
const chosen = Object.entries(benches).filter(([name]) => values.only === undefined || name === values.only)
if (chosen.length === 0) {
  console.error(`usage: npm run bench -- [--only ${Object.keys(benches).join('|')}] [--docs FOLDER]... [--kit KIT] [--peer CHECKOUT]
--docs names folders with documentation, one library each; --kit a folder that npm run eval reads.
Without both, the text is the documentation of the installed packages.
--peer is a checkout of neuledge/context with its packages installed, whose build is measured next to the parse.`)
  process.exit(2)
}

const figures = report()
const folder = await mkdtemp(join(tmpdir(), 'carrel-bench-'))
let source = ''
try {
  const texts = await documentation(values, folder)
  source = describe(texts)
  for (const [name, bench] of chosen) {
    console.error(`${name} …`)
    await bench(figures, join(folder, name), texts, values.peer)
  }
} finally {
  await rm(folder, { recursive: true, force: true })
}
console.log(source)
console.log(`${cpus().length} × ${cpus()[0]?.model}, Node ${process.version}; ratio = measured ÷ limit`)
figures.print()

function describe({ source, libraries }: Documentation): string {
  const files = libraries.reduce((sum, each) => sum + each.files.size, 0)
  const bytes = libraries.reduce((sum, each) => sum + bytesOf(each), 0)
  return `Real documentation of ${source}: ${files} files, ${(bytes / 1e6).toFixed(1)} MB. Other text is marked as generated.`
}
