import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { dynamoSalts } from '../../../functions/dynamo/counters/dynamo-salts.ts'
import { diskStream } from '../../../functions/local/disk-stream.ts'
import { type RecordPorts, recordUsage } from '../../../shared/usage/record-usage.ts'
import { makeQuestions } from '../corpus.ts'
import { median, quantile, type Report, timed } from '../report.ts'
import { addBenchLibrary } from './add-bench-library.ts'
import { startHosted } from './hosted-process.ts'
import { parseFolder, writeCorpus } from './parsed-folder.ts'
import { withHosted, withTable } from './temp-hosted.ts'

const address = '/bench/docs'
const [runs, asked] = [5, 150]
/** A client that names itself a bot gets the same responses, but is not counted. */
const agents = { recorded: 'bench/1.0', unrecorded: 'bench-bot/1.0' }

/** Contexts with and without recording, in turn, from a server in a child process. */
export async function benchContext({ note }: Report, folder: string): Promise<void> {
  const dataDir = join(folder, 'context')
  const root = join(folder, 'context-source')
  await writeCorpus(root, 1250)
  await withHosted(dataDir, (hosted) => addBenchLibrary(hosted, address, parseFolder(root)))
  await rm(root, { recursive: true })
  const server = await startHosted(dataDir)
  const answerBytes: number[] = []
  const ask = (agent: keyof typeof agents, query: string) =>
    timed(async () => {
      const headers = { 'user-agent': agents[agent], 'x-carrel-source': 'mcp', 'x-carrel-client-ide': 'cursor' }
      const answer = await fetch(`${server.url}/api/v2/context?${new URLSearchParams({ libraryId: address, query })}`, {
        headers,
      })
      answerBytes.push((await answer.arrayBuffer()).byteLength)
      if (answer.status !== 200 && answer.status !== 404) throw new Error(`HTTP ${answer.status}`)
    })
  try {
    for (const query of makeQuestions(200, 1)) await ask('recorded', query)
    const measured = { recorded: [] as number[][], unrecorded: [] as number[][] }
    for (let run = 0; run < runs; run++) {
      const times = { recorded: [] as number[], unrecorded: [] as number[] }
      for (const [n, query] of makeQuestions(2 * asked, 10 + run).entries()) {
        const agent = n % 2 === 0 ? 'recorded' : 'unrecorded'
        times[agent].push(await ask(agent, query))
      }
      measured.recorded.push(times.recorded)
      measured.unrecorded.push(times.unrecorded)
    }
    const at = (agent: keyof typeof agents, share: number) => median(measured[agent].map((times) => quantile(times, share)))
    for (const [name, share] of [
      ['p50', 0.5],
      ['p95', 0.95],
    ] as const) {
      const more = `${at('unrecorded', share).toFixed(1)} ms without: ${(at('recorded', share) / at('unrecorded', share)).toFixed(2)} times`
      note({ figure: `context with recording, 5,000 snippets, ${name}`, measured: at('recorded', share), unit: 'ms', more })
    }
    note({
      figure: '  answer',
      measured: answerBytes.reduce((sum, each) => sum + each, 0) / answerBytes.length / 1000,
      unit: 'kB',
    })
  } finally {
    await server.stop()
  }
}

/** Measures how long a request waits for its recording: with local stores, and with stores that never respond. */
export async function benchRecording({ note }: Report, folder: string): Promise<void> {
  const wanted = { max: 50 }
  const now = () => new Date()
  await withTable(join(folder, 'recording'), async ({ db }) => {
    const stream = diskStream(join(folder, 'recording', 'usage.db'))
    const salts = dynamoSalts({ table: { db, name: 'salts' }, now })
    const times = await delays({ stream, salts, log: ignoring, now }, 5000)
    stream.close()
    const more = `p50 ${median(times).toFixed(2)}, p99 ${quantile(times, 0.99).toFixed(2)} ms; slowest of 5,000`
    note({ figure: 'recording an event', wanted, measured: Math.max(...times), unit: 'ms', more })
  })
  const never = () => new Promise<never>(() => undefined)
  const hung = await delays({ stream: { put: never }, salts: { saltOf: never }, log: ignoring, now }, 100)
  const timers: number[] = []
  for (let n = 0; n < 100; n++) timers.push(await timed(() => sleep(40)))
  const more = `p50 ${median(hung).toFixed(0)} ms; slowest of 100, as the slowest of 100 bare timers of 40 ms took ${Math.max(...timers).toFixed(0)} ms`
  note({ figure: '  stream and salts never respond', wanted, measured: Math.max(...hung), unit: 'ms', more })
}

const ignoring = { info: () => undefined, warn: () => undefined, error: () => undefined }

async function delays(ports: RecordPorts, count: number): Promise<number[]> {
  const request = { library: address, surface: 'mcp' as const, client: 'cursor', topics: ['query cache'], userAgent: 'bench/1.0' }
  const times: number[] = []
  for (let n = 0; n < count; n++) times.push(await timed(() => recordUsage(ports, { ...request, address: `192.0.2.${n % 250}` })))
  return times
}
