import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { startGitServer } from '../../fixtures/git-server.ts'
import type { Documentation } from '../documentation.ts'
import { byFormat, bytesOf, questionsFor } from '../libraries.ts'
import { measured, median, quantile, type Report, timed } from '../report.ts'
import { ask } from './ask.ts'
import { parseFloor } from './floor.ts'
import { jobEnded } from './job-ended.ts'
import { type PeerPackage, peerPackage } from './peer-package.ts'
import { prepare } from './prepare.ts'
import { type ServerProcess, startServerProcess } from './server-process.ts'

const runs = 3
/** A measurement of fewer files shows the start of a job. */
const minFiles = 50

/** Measures the time from clone to searchable for each format of the documentation, then again while questions are answered. */
export async function benchParsing(
  report: Report,
  folder: string,
  texts: Documentation,
  peer: string | undefined,
): Promise<void> {
  await mkdir(folder, { recursive: true })
  for (const { format, library } of byFormat(texts, minFiles)) {
    const git = await startGitServer()
    await git.create('bench/docs', { files: Object.fromEntries(library.files) })
    const seconds: number[] = []
    const cpu: number[] = []
    const peaks: number[] = []
    const healths: number[] = []
    const contexts: number[] = []
    const peers: PeerPackage[] = []
    for (let run = 0; run < runs; run++) {
      const dataDir = join(folder, `${library.name}-${run}`)
      const key = await prepare(dataDir, { 'github.baseUrl': git.url })
      const server = await startServerProcess(dataDir)
      const cpuBefore = server.cpuSeconds()
      seconds.push(await parse(server, key, git.url, false))
      cpu.push(server.cpuSeconds() - cpuBefore)
      peaks.push(server.peakMb())
      const again = { done: false }
      const reparsed = parse(server, key, git.url, true).finally(() => {
        again.done = true
      })
      for (const question of questionsFor(library, 500, run)) {
        if (again.done) break
        contexts.push(await ask(server, '/bench/docs', question))
        healths.push(await timed(() => fetch(`${server.url}/api/health`)))
      }
      await reparsed
      await server.stop()
      if (peer !== undefined) peers.push(await peerPackage(peer, library, `${dataDir}-peer`))
    }
    await git.close()
    const files = library.files.size
    report.note({
      figure: `${files} files of ${format}, ${(bytesOf(library) / 1e6).toFixed(1)} MB, clone to searchable`,
      wanted: { min: 150 },
      measured: files / median(seconds),
      unit: 'files/s',
      cpuSeconds: median(cpu),
    })
    const floor = await measured(() => parseFloor(library, join(folder, `${library.name}.db`)))
    report.note({
      figure: `  floor: ${/^M/.test(format) ? 'remark, ' : ''}cut at headings, SQLite FTS5`,
      measured: files / (floor.ms / 1000),
      unit: 'files/s',
      cpuSeconds: floor.cpuSeconds,
    })
    if (peers.length > 0)
      report.note({
        figure: '  peer: neuledge/context, files to package',
        measured: files / (median(peers.map(({ ms }) => ms)) / 1000),
        unit: 'files/s',
        cpuSeconds: median(peers.map(({ cpuSeconds }) => cpuSeconds)),
      })
    report.note({ figure: '  peak RSS', wanted: { max: 400 }, measured: median(peaks), unit: 'MB' })
    const p95 = `p95 ${quantile(healths, 0.95).toFixed(0)}`
    report.note({
      figure: '  health during a parse, slowest',
      wanted: { max: 100 },
      measured: Math.max(...healths),
      unit: 'ms',
      more: p95,
    })
    const p50 = `p50 ${median(contexts).toFixed(0)}`
    report.note({
      figure: '  context during a parse, p95',
      wanted: { max: 100 },
      measured: quantile(contexts, 0.95),
      unit: 'ms',
      more: p50,
    })
  }
}

/** Seconds from the request to the finished job. */
async function parse(server: ServerProcess, key: string, gitUrl: string, force: boolean) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const began = performance.now()
  const body = JSON.stringify({ repoUrl: `${gitUrl}/bench/docs`, force })
  const answer = await fetch(`${server.url}/api/parse`, { method: 'POST', headers, body })
  const { queueId } = (await answer.json()) as { queueId: number }
  await jobEnded(server, key, queueId)
  return (performance.now() - began) / 1000
}
