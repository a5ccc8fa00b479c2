import { dynamoCounters } from '../../../functions/dynamo/counters/dynamo-counters.ts'
import type { Log } from '../../../shared/log.ts'
import { applyUsage } from '../../../shared/usage/apply-usage.ts'
import type { Counters } from '../../../shared/usage/counters.ts'
import { median } from '../report.ts'
import { instantTable } from './instant-table.ts'
import { makeUsage, recordsOf } from './make-usage.ts'

const batchEvents = 10_000
const [warmUps, runs] = [5, 15]

const complain = (fields: Record<string, unknown>, message: string): never => {
  throw new Error(`${message}: ${JSON.stringify(fields)}`)
}
const log: Log = { info: complain, warn: complain, error: complain }
const now = () => new Date()
const at = now().toISOString()

/** Events per second of one core, by the processor time of the process including garbage collection. */
async function speedOf(counters: Counters, libraries: number): Promise<number> {
  const userOf = (_: number, random: () => number) => Math.floor(random() * 20_000)
  const batches = Array.from({ length: warmUps + runs }, (_, run) =>
    recordsOf(makeUsage(batchEvents, { libraries, clients: 3, topics: 1000, at, seed: run, userOf }), run * batchEvents),
  )
  // Garbage from generating the events must not count against the counters.
  globalThis.gc?.()
  const speeds: number[] = []
  for (const records of batches) {
    const before = process.cpuUsage()
    await applyUsage({ counters, log, now }, { shard: 'shardId-000000000001', records })
    const { user, system } = process.cpuUsage(before)
    speeds.push(batchEvents / ((user + system) / 1e6))
  }
  return median(speeds.slice(warmUps))
}

const nowhere: Counters = { add: async () => undefined, read: () => complain({}, 'nothing is read here') }
const onInstantTable = () => dynamoCounters({ table: instantTable(), log, now })
process.stdout.write(
  JSON.stringify({
    sorted: await speedOf(nowhere, 200),
    hot: await speedOf(onInstantTable(), 1),
    spread: await speedOf(onInstantTable(), 200),
  }),
)
