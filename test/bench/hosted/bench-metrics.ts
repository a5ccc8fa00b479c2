import { join } from 'node:path'
import { createServer } from '../../../functions/server.ts'
import type { LibraryMetrics } from '../../../shared/usage/read-metrics.ts'
import { median, quantile, type Report, timed } from '../report.ts'
import { countDynamo, unitsOf } from './count-dynamo.ts'
import { startHosted } from './hosted-process.ts'
import { mcpClients } from './make-usage.ts'
import { seedMetrics } from './seed-metrics.ts'
import { withHosted } from './temp-hosted.ts'

const address = '/bench/lib-0'
const [shards, days, runs, asked] = [16, 365, 5, 100]

/** Metrics of a library with 365 full days, 20 clients, 1,000 topics, and the checkpoints of 16 shards on every item except closed days. */
export async function benchMetrics(report: Report, folder: string): Promise<void> {
  const { note } = report
  const dataDir = join(folder, 'metrics')
  const { key, dayBytes } = await seedMetrics(dataDir, address, { days, shards })

  const path = `/api/v2/libs/metrics?libraryId=${encodeURIComponent(address)}&days=${days}`
  const headers = { authorization: `Bearer ${key}` }
  const { calls, bytes } = await withHosted(dataDir, async (hosted) => {
    const server = createServer(hosted)
    let text = ''
    const calls = await countDynamo(async () => {
      text = await (await server.request(path, { headers: { ...headers, host: '127.0.0.1' } })).text()
    })
    check(JSON.parse(text))
    return { calls, bytes: Buffer.byteLength(text) }
  })
  const what = `metrics, ${days} days, 20 clients, 1,000 topics, ${shards} checkpoints`
  const named = calls.map(({ command, sk }) => (sk === '' ? command : `${command} ${sk.startsWith('/') ? 'CATALOG' : sk}`))
  note({ figure: what, wanted: { max: 5 }, measured: calls.length, unit: 'calls', more: named.join(', ') })
  const more = `today is ${dayBytes.toLocaleString('en-US')} bytes`
  note({ figure: '  capacity', wanted: { max: 80 }, measured: unitsOf(calls), unit: 'RCU', more })
  note({ figure: '  answer', wanted: { max: 300 }, measured: bytes / 1000, unit: 'kB' })
  await timeIt(report, dataDir, path, headers)
}

async function timeIt({ note }: Report, dataDir: string, path: string, headers: Record<string, string>): Promise<void> {
  const server = await startHosted(dataDir)
  try {
    const halves: number[] = []
    const tails: number[] = []
    const ask = () => timed(async () => (await fetch(server.url + path, { headers })).arrayBuffer())
    for (let n = 0; n < asked; n++) await ask()
    for (let run = 0; run < runs; run++) {
      const times: number[] = []
      for (let n = 0; n < asked; n++) times.push(await ask())
      halves.push(median(times))
      tails.push(quantile(times, 0.95))
    }
    const more = `p95 ${median(tails).toFixed(0)} ms`
    note({ figure: '  over HTTP, p50', wanted: { max: 15 }, measured: median(halves), unit: 'ms', more })
  } finally {
    await server.stop()
  }
}

/** Throws if the response is incomplete. */
function check({ daily, topics, mcpClients: { dailyData } }: LibraryMetrics): void {
  const clients = Object.keys(dailyData.at(-1)?.uniqueUsersByClient ?? {}).length
  if (daily.length === days && dailyData.length === days && topics.length === 1000 && clients === mcpClients.length) return
  throw new Error(`${daily.length} days, ${dailyData.length} with users, ${topics.length} topics, ${clients} clients`)
}
