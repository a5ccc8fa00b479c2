import { aiRuntime } from '../../../shared/ai/ai-runtime.ts'
import { configuredAi } from '../../../shared/ai/configured-ai.ts'
import { secretBox } from '../../../shared/settings/secret-box.ts'
import { openDatabase } from '../../../shared/store/database.ts'
import { sqliteSettings } from '../../../shared/store/settings-store.ts'
import { makeQuestions } from '../corpus.ts'
import { median, quantile, type Report } from '../report.ts'
import { ask } from './ask.ts'
import { startEmbedder } from './embedder-thread.ts'
import { fill } from './fill.ts'
import { prepare } from './prepare.ts'
import { startServerProcess } from './server-process.ts'

const dimensions = 1024
const runs = 5

/** Questions whose vectors are cached, so that no provider is called. */
export async function benchHybrid({ note }: Report, folder: string): Promise<void> {
  const embedder = await startEmbedder(dimensions)
  await prepare(folder, embedder.settings)
  const space = spaceOf(folder)
  const { ids, snippets } = await fill(folder, { libraries: 200, files: 125 }, space)
  const server = await startServerProcess(folder)
  const questions = makeQuestions(300, 10)
  const round = async () => {
    const times: number[] = []
    for (const [i, question] of questions.entries())
      times.push(await ask(server, ids[(i * 7) % ids.length] ?? '', question, 'hybrid'))
    return times
  }
  const first = await round()
  const { requests } = await embedder.stats()
  const rounds: number[][] = []
  for (let run = 0; run < runs; run++) rounds.push(await round())
  const asked = (await embedder.stats()).requests - requests
  await server.stop()
  await embedder.close()
  note({
    figure: `hybrid context, ${snippets} snippets of ${dimensions} dims in 200 libraries, p50`,
    wanted: { max: 20 },
    measured: median(rounds.map(median)),
    unit: 'ms',
    more: `p95 ${median(rounds.map((times) => quantile(times, 0.95))).toFixed(1)}; first round, with the embedding call, p50 ${median(first).toFixed(1)}; ${asked} calls later`,
  })
}

function spaceOf(dataDir: string) {
  const db = openDatabase(dataDir)
  const embedder = configuredAi(sqliteSettings(db, secretBox(dataDir)), aiRuntime({ env: {} })).embedder()
  db.close()
  if (!embedder) throw new Error('no embedder is set')
  return { model: embedder.model, dimensions }
}
