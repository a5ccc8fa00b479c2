import { join } from 'node:path'
import type { Documentation, Library } from '../documentation.ts'
import { bytesOf, merged, questionsFor, slices } from '../libraries.ts'
import { median, quantile, type Report } from '../report.ts'
import { ask } from './ask.ts'
import { type Asked, askFloor } from './ask-floor.ts'
import { fill } from './fill.ts'
import { prepare } from './prepare.ts'
import { type ServerProcess, startServerProcess } from './server-process.ts'

const runs = 5
const questionsPerRun = 300
const large = { libraries: 200, snippets: 100_000 }

export async function benchAsking(report: Report, folder: string, texts: Documentation): Promise<void> {
  const all = merged(texts)
  const snippets = await asking(report, join(folder, 'small'), [all], { p50: 6, p95: 15 })
  const bytes = (bytesOf(all) / snippets) * (large.snippets / large.libraries)
  await asking(report, join(folder, 'large'), slices(texts, large.libraries, bytes), { p50: 8, p95: 25 })
}

type Wanted = { p50: number; p95: number }

async function asking({ note }: Report, dataDir: string, libraries: Library[], { p50, p95 }: Wanted): Promise<number> {
  await prepare(dataDir, {})
  const { ids, snippets } = await fill(dataDir, libraries)
  const server = await startServerProcess(dataDir)
  const questions = Array.from({ length: runs + 1 }, (_, run) => askedOf(libraries, questionsPerRun, run))
  for (const { library, question } of questions.pop() ?? []) await ask(server, ids[library] ?? '', question)
  const halves: number[] = []
  const tails: number[] = []
  const cpuBefore = server.cpuSeconds()
  for (const asked of questions) {
    const times: number[] = []
    for (const { library, question } of asked) times.push(await ask(server, ids[library] ?? '', question))
    halves.push(median(times))
    tails.push(quantile(times, 0.95))
  }
  const cpuSeconds = server.cpuSeconds() - cpuBefore
  const figure = `context, ${snippets} snippets in ${libraries.length} ${libraries.length === 1 ? 'library' : 'libraries'}`
  const ofQuestions = `CPU of ${runs * questionsPerRun} questions`
  note({ figure: `${figure}, p50`, wanted: { max: p50 }, measured: median(halves), unit: 'ms', cpuSeconds, more: ofQuestions })
  note({ figure: '  p95', wanted: { max: p95 }, measured: median(tails), unit: 'ms' })
  const { times, errors } = await crowd(server, libraries, ids)
  const more = [`${(times.length / 10).toFixed(0)}/s, p99 ${quantile(times, 0.99).toFixed(0)} ms`, ...new Set(errors)].join('; ')
  note({ figure: '  50 clients for 10 s', wanted: { max: 0 }, measured: errors.length, unit: 'errors', more })
  await server.stop()
  await askFloor({ note }, dataDir, libraries.length, questions.flat())
  return snippets
}

function askedOf(libraries: Library[], count: number, seed: number): Asked[] {
  const each = Math.ceil(count / Math.min(count, libraries.length))
  const asked = libraries.slice(0, count).flatMap((library, number) => {
    const questions = questionsFor(library, each, seed * 1000 + number)
    return questions.map((question) => ({ library: number, question }))
  })
  return asked.slice(0, count)
}

/** 50 parallel clients for 10 s. `errors` are the reasons of failed questions. */
async function crowd(server: ServerProcess, libraries: Library[], ids: string[]): Promise<{ times: number[]; errors: string[] }> {
  const questions = Array.from({ length: 50 }, (_, client) => askedOf(libraries, 2000, 100 + client))
  const times: number[] = []
  const errors: string[] = []
  const until = performance.now() + 10_000
  await Promise.all(
    questions.map(async (asked, client) => {
      for (let i = client; performance.now() < until; i++) {
        const { library, question } = asked[i % asked.length] as Asked
        try {
          times.push(await ask(server, ids[library] ?? '', question))
        } catch (error) {
          errors.push(reasonOf(error))
        }
      }
    }),
  )
  return { times, errors }
}

/** `fetch` has the reason as its cause. */
const reasonOf = (error: unknown): string => (error instanceof Error ? String(error.cause ?? error.message) : String(error))
