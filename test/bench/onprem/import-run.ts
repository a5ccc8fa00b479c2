import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Job } from '../../../onprem/store/jobs/job.ts'
import { timed } from '../report.ts'
import { jobEnded } from './job-ended.ts'
import { prepare } from './prepare.ts'
import { type ServerProcess, startServerProcess } from './server-process.ts'

export type ImportRun = {
  /** The time from the first byte of the body to the response, and to the end of the last job. */
  answeredMs: number
  endedMs: number
  jobs: Job[]
  cpuSeconds: number
  idleMb: number
  /** Peak memory of the server above idle. */
  aboveMb: number
  /** Response times of `/api/health` meanwhile. */
  healths: number[]
}

const idleMs = 3000
const healthEveryMs = 50

/** Imports one body into a new server and measures the cost until everything is searchable. */
export async function importRun(
  dataDir: string,
  settings: Record<string, unknown>,
  body: () => AsyncIterable<Buffer>,
  contentType = 'application/json',
): Promise<ImportRun> {
  const key = await prepare(dataDir, settings)
  const server = await startServerProcess(dataDir)
  try {
    await fetch(`${server.url}/api/health`)
    await sleep(idleMs)
    const idleMb = server.rssMb()
    server.forgetPeak()
    const watching = watchHealth(server)
    const cpuBefore = server.cpuSeconds()
    const began = performance.now()
    const answer = await fetch(`${server.url}/api/import-libraries`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': contentType },
      body: Readable.toWeb(Readable.from(body())) as ReadableStream<Uint8Array<ArrayBuffer>>,
      duplex: 'half',
    } as RequestInit)
    const text = await answer.text()
    if (answer.status !== 202) throw new Error(`HTTP ${answer.status}: ${text}`)
    const answeredMs = performance.now() - began
    const { queued, skipped } = JSON.parse(text) as { queued: string[]; skipped: unknown[] }
    if (skipped.length > 0) throw new Error(text)
    const listed = await fetch(`${server.url}/api/jobs?pageSize=200`, { headers: { authorization: `Bearer ${key}` } })
    const waiting = ((await listed.json()) as { jobs: Job[] }).jobs.filter(({ project }) => queued.includes(project))
    const jobs: Job[] = []
    for (const { id } of waiting) jobs.push(await jobEnded(server, key, id))
    const endedMs = performance.now() - began
    const cpuSeconds = server.cpuSeconds() - cpuBefore
    const healths = await watching()
    return { answeredMs, endedMs, jobs, cpuSeconds, idleMb, aboveMb: server.peakMb() - idleMb, healths }
  } finally {
    await server.stop()
  }
}

function watchHealth({ url }: ServerProcess): () => Promise<number[]> {
  const healths: number[] = []
  let watching = true
  const watch = async () => {
    while (watching) {
      healths.push(await timed(async () => (await fetch(`${url}/api/health`)).text()))
      await sleep(healthEveryMs)
    }
  }
  const ended = watch()
  // The error that ends the run says more.
  ended.catch(() => undefined)
  return async () => {
    watching = false
    await ended
    return healths
  }
}
