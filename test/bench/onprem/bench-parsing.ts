import { join } from 'node:path'
import { startGitServer } from '../../fixtures/git-server.ts'
import { makeCorpus, makeQuestions } from '../corpus.ts'
import { median, quantile, type Report, timed } from '../report.ts'
import { ask } from './ask.ts'
import { jobEnded } from './job-ended.ts'
import { prepare } from './prepare.ts'
import { type ServerProcess, startServerProcess } from './server-process.ts'

const runs = 5
const files = 935

/** From clone to searchable for 5 MB of Markdown files while questions are answered. */
export async function benchParsing({ note }: Report, folder: string): Promise<void> {
  const git = await startGitServer()
  const corpus = makeCorpus({ files, bytesPerFile: 4300, seed: 7 })
  const bytes = [...corpus.values()].reduce((sum, text) => sum + text.length, 0)
  await git.create('bench/docs', { files: Object.fromEntries(corpus) })
  const speeds: number[] = []
  const peaks: number[] = []
  const healths: number[] = []
  const contexts: number[] = []
  for (let run = 0; run < runs; run++) {
    const dataDir = join(folder, String(run))
    const key = await prepare(dataDir, { 'github.baseUrl': git.url })
    const server = await startServerProcess(dataDir)
    speeds.push(files / (await parse(server, key, git.url, false)))
    peaks.push(server.peakMb())
    const again = { done: false }
    const reparsed = parse(server, key, git.url, true).finally(() => {
      again.done = true
    })
    for (const question of makeQuestions(500, run)) {
      if (again.done) break
      contexts.push(await ask(server, '/bench/docs', question))
      healths.push(await timed(() => fetch(`${server.url}/api/health`)))
    }
    await reparsed
    await server.stop()
  }
  await git.close()
  note({
    figure: `${files} Markdown files, ${(bytes / 1e6).toFixed(1)} MB, clone to searchable`,
    wanted: { min: 150 },
    measured: median(speeds),
    unit: 'files/s',
  })
  note({ figure: '  peak RSS', wanted: { max: 400 }, measured: median(peaks), unit: 'MB' })
  note({
    figure: 'health while a parse runs, slowest',
    wanted: { max: 100 },
    measured: Math.max(...healths),
    unit: 'ms',
    more: `p95 ${quantile(healths, 0.95).toFixed(0)}`,
  })
  note({
    figure: 'context while a parse runs, p95',
    wanted: { max: 100 },
    measured: quantile(contexts, 0.95),
    unit: 'ms',
    more: `p50 ${median(contexts).toFixed(0)}`,
  })
}

/** Seconds from the request to the finished job. */
async function parse(server: ServerProcess, key: string, gitUrl: string, force: boolean): Promise<number> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const began = performance.now()
  const body = JSON.stringify({ repoUrl: `${gitUrl}/bench/docs`, force })
  const answer = await fetch(`${server.url}/api/parse`, { method: 'POST', headers, body })
  const { queueId } = (await answer.json()) as { queueId: number }
  await jobEnded(server, key, queueId)
  return (performance.now() - began) / 1000
}
