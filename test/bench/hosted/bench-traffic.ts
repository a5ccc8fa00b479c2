import { join } from 'node:path'
import { dynamoCounters } from '../../../functions/dynamo/counters/dynamo-counters.ts'
import { applyUsage } from '../../../shared/usage/apply-usage.ts'
import type { Report } from '../report.ts'
import { type Call, countDynamo, unitsOf } from './count-dynamo.ts'
import { makeUsage, recordsOf } from './make-usage.ts'
import { quietLog, withTable } from './temp-hosted.ts'

const [libraries, windowS, monthS] = [20_000, 5, 30 * 86_400]

/** Requests per month, with the number of shards that the stream would have. A batch is what one shard delivers in a window. */
const months = [
  { requests: 1e6, shards: 4, batches: 200 },
  { requests: 1e8, shards: 4, batches: 20 },
  { requests: 1e10, shards: 16, batches: 2 },
]

/** The cost of counting per request: with more traffic, more events share a write. */
export async function benchTraffic({ note }: Report, folder: string): Promise<void> {
  const now = () => new Date()
  await withTable(join(folder, 'traffic'), async (table) => {
    let taken = 0
    for (const { requests, shards, batches } of months) {
      const counters = dynamoCounters({ table, log: quietLog, now })
      const size = Math.max(1, Math.round((requests / monthS / shards) * windowS))
      const calls: Call[] = []
      for (let batch = 0; batch < batches; batch++) {
        const userOf = (_: number, random: () => number) => Math.floor(random() * 100_000)
        const traffic = { libraries, byPopularity: true, clients: 20, topics: 300, at: now().toISOString(), seed: taken, userOf }
        const records = recordsOf(makeUsage(size, traffic), taken)
        taken += size
        calls.push(
          ...(await countDynamo(() => applyUsage({ counters, log: quietLog, now }, { shard: 'shardId-000000000001', records }))),
        )
      }
      const writes = calls.filter(({ isWrite }) => isWrite)
      const events = size * batches
      const read = unitsOf(calls) - unitsOf(writes)
      const figure = `${requests.toLocaleString('en-US')} requests per month: batches of ${size.toLocaleString('en-US')}`
      const more = `${(writes.length / events).toFixed(1)} writes, ${(read / events).toFixed(1)} RCU`
      note({ figure, measured: unitsOf(writes) / events, unit: 'WCU per request', more })
    }
  })
}
