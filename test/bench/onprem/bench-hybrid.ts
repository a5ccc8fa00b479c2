import { join } from 'node:path'
import { aiRuntime } from '../../../shared/ai/ai-runtime.ts'
import { configuredAi } from '../../../shared/ai/configured-ai.ts'
import { localModels } from '../../../shared/ai/local/local-models.ts'
import { secretBox } from '../../../shared/settings/secret-box.ts'
import { openDatabase } from '../../../shared/store/database.ts'
import { sqliteSettings } from '../../../shared/store/settings-store.ts'
import type { Documentation } from '../documentation.ts'
import { questionsFor, slices } from '../libraries.ts'
import { median, quantile, type Report } from '../report.ts'
import { ask } from './ask.ts'
import { askFloor } from './ask-floor.ts'
import { startEmbedder } from './embedder-thread.ts'
import { fill } from './fill.ts'
import { prepare } from './prepare.ts'
import { startServerProcess } from './server-process.ts'

const dimensions = 1024
const runs = 5
const libraries = 200
/** The text of about 500 snippets. */
const libraryBytes = 420_000

/** Questions whose vectors are cached, so that no provider is called. */
export async function benchHybrid({ note }: Report, folder: string, texts: Documentation): Promise<void> {
  const embedder = await startEmbedder(dimensions)
  await prepare(folder, embedder.settings)
  const space = spaceOf(folder)
  const parts = slices(texts, libraries, libraryBytes)
  const { ids, snippets } = await fill(folder, parts, space)
  const server = await startServerProcess(folder)
  const questions = parts.map((library, number) => questionsFor(library, 1, number)[0] ?? '')
  const round = async () => {
    const times: number[] = []
    for (const [i, question] of questions.entries()) times.push(await ask(server, ids[i] ?? '', question, 'hybrid'))
    return times
  }
  const first = await round()
  const { requests } = await embedder.stats()
  const rounds: number[][] = []
  const cpuBefore = server.cpuSeconds()
  for (let run = 0; run < runs; run++) rounds.push(await round())
  const cpuSeconds = server.cpuSeconds() - cpuBefore
  const asked = (await embedder.stats()).requests - requests
  await server.stop()
  await embedder.close()
  note({
    figure: `hybrid context, ${snippets} snippets of ${dimensions} dims in ${libraries} libraries, p50`,
    wanted: { max: 20 },
    measured: median(rounds.map(median)),
    unit: 'ms',
    cpuSeconds,
    more: `CPU of ${runs * libraries} questions; p95 ${median(rounds.map((times) => quantile(times, 0.95))).toFixed(1)}; first round, with the embedding call, p50 ${median(first).toFixed(1)}; ${asked} calls later`,
  })
  const again = Array.from({ length: runs }, () => questions.map((question, library) => ({ library, question }))).flat()
  await askFloor({ note }, folder, libraries, again)
}

function spaceOf(dataDir: string) {
  const db = openDatabase(dataDir)
  const embedder = configuredAi(
    sqliteSettings(db, secretBox(dataDir)),
    aiRuntime({ env: {} }, localModels({ modelsDir: join(dataDir, 'models') })),
  ).embedder()
  db.close()
  if (!embedder) throw new Error('no embedder is set')
  return { model: embedder.model, dimensions }
}
