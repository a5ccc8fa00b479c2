import { join } from 'node:path'
import { makeQuestions } from '../corpus.ts'
import { median, quantile, type Report } from '../report.ts'
import { ask } from './ask.ts'
import { fill, type Size } from './fill.ts'
import { prepare } from './prepare.ts'
import { type ServerProcess, startServerProcess } from './server-process.ts'

const runs = 5

export async function benchAsking(report: Report, folder: string): Promise<void> {
  await asking(report, '5,000 snippets in 1 library', join(folder, 'small'), { libraries: 1, files: 1250 }, 12, 30)
  await asking(report, '100,000 snippets in 200 libraries', join(folder, 'large'), { libraries: 200, files: 125 }, 15, 45)
}

async function asking({ note }: Report, what: string, dataDir: string, size: Size, p50: number, p95: number): Promise<void> {
  await prepare(dataDir, {})
  const { ids, snippets } = await fill(dataDir, size)
  const server = await startServerProcess(dataDir)
  for (const [i, question] of makeQuestions(200, 1).entries()) await ask(server, ids[i % ids.length] ?? '', question)
  const halves: number[] = []
  const tails: number[] = []
  for (let run = 0; run < runs; run++) {
    const times: number[] = []
    for (const [i, question] of makeQuestions(300, 10 + run).entries())
      times.push(await ask(server, ids[(i * 7) % ids.length] ?? '', question))
    halves.push(median(times))
    tails.push(quantile(times, 0.95))
  }
  const figure = `context, ${what} (${snippets})`
  note({ figure: `${figure}, p50`, wanted: { max: p50 }, measured: median(halves), unit: 'ms' })
  note({ figure: '  p95', wanted: { max: p95 }, measured: median(tails), unit: 'ms' })
  const { times, failed } = await crowd(server, ids)
  const more = `${(times.length / 10).toFixed(0)}/s, p99 ${quantile(times, 0.99).toFixed(0)} ms`
  note({ figure: `50 clients for 10 s, ${what}`, wanted: { max: 0 }, measured: failed, unit: 'errors', more })
  await server.stop()
}

/** 50 clients at once for 10 s. */
async function crowd(server: ServerProcess, ids: string[]): Promise<{ times: number[]; failed: number }> {
  const questions = Array.from({ length: 50 }, (_, client) => makeQuestions(2000, 100 + client))
  const times: number[] = []
  let failed = 0
  const until = performance.now() + 10_000
  await Promise.all(
    questions.map(async (asked, client) => {
      for (const [i, question] of asked.entries()) {
        if (performance.now() > until) return
        try {
          times.push(await ask(server, ids[(i + client) % ids.length] ?? '', question))
        } catch {
          failed += 1
        }
      }
    }),
  )
  return { times, failed }
}
