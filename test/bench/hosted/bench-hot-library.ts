import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { dynamoCounters } from '../../../functions/dynamo/counters/dynamo-counters.ts'
import type { Table } from '../../../functions/dynamo/table.ts'
import { applyUsage } from '../../../shared/usage/apply-usage.ts'
import { median, type Report } from '../report.ts'
import { type Call, countDynamo, unitsOf } from './count-dynamo.ts'
import { makeUsage, recordsOf, type Traffic } from './make-usage.ts'
import { quietLog, withTable } from './temp-hosted.ts'

const now = () => new Date()
const [shards, eventsASecond, windowS, runs] = [16, 10_000, 5, 5]
const batchEvents = (eventsASecond * windowS) / shards
/** Midday of a day on which one library has 200,000 users. */
const [knownUsers, freshUsers] = [100_000, Math.round((200_000 / 86_400) * windowS)]

/** The capacity that a library with 10,000 events per second consumes on 16 shards. */
export async function benchHotLibrary({ note }: Report, folder: string): Promise<void> {
  await withTable(join(folder, 'hot'), async (table) => {
    const window = hotWindow(table)
    let users = 0
    const inTurn = () => users++
    const first = await window(inTurn)
    while (users < knownUsers) await window(inTurn)
    const steady: Call[][] = []
    for (let run = 0; run < runs; run++) {
      let fresh = freshUsers
      steady.push(await window((_, random) => (fresh-- > 0 ? users++ : Math.floor(random() * users))))
    }
    const writes = (calls: Call[]) => calls.filter(({ isWrite }) => isWrite)
    const wcu = (calls: Call[]) => unitsOf(writes(calls)) / windowS
    const share = (sk: string) => median(steady.map((calls) => wcu(calls.filter((call) => call.sk.startsWith(sk))))).toFixed(0)
    const more = ['TOTAL', 'COUNTRIES', 'DAY', 'TOPICS', 'SKETCH'].map((sk) => `${sk} ${share(sk)}`).join(', ')
    const figure = `hot library: ${eventsASecond.toLocaleString('en-US')} events/s, ${shards} shards, 20 clients, 1,000 topics`
    note({ figure, wanted: { max: 200 }, measured: median(steady.map(wcu)), unit: 'WCU/s', more })
    note({ figure: '  one write per request would take', measured: eventsASecond, unit: 'WCU/s', more: 'five: five times that' })
    note({
      figure: '  a library without earlier requests',
      measured: wcu(first),
      unit: 'WCU/s',
      more: 'every batch changes every sketch',
    })
    const read = median(steady.map((calls) => unitsOf(calls.filter(({ isWrite }) => !isWrite)) / windowS))
    note({ figure: '  reads of the sketches', measured: read, unit: 'RCU/s' })
    const each = median(steady.map((calls) => writes(calls).length / shards))
    note({ figure: '  a batch of one shard', measured: each, unit: 'writes' })
    const alone = await window(inTurn, 1)
    note({ figure: '  an event alone in its batch', measured: unitsOf(writes(alone)) / shards, unit: 'WCU' })
  })
}

/** Five seconds of the hot library: a batch from each shard, applied concurrently as Lambdas do. */
function hotWindow(table: Table) {
  // Each Lambda has its own memory of known topics.
  const counters = Array.from({ length: shards }, () => dynamoCounters({ table, log: quietLog, now }))
  let [windows, taken] = [0, 0]
  return async (userOf: Traffic['userOf'], size = batchEvents): Promise<Call[]> => {
    const at = now().toISOString()
    const usage = makeUsage(shards * size, { libraries: 1, clients: 20, topics: 1000, at, seed: windows++, userOf })
    // Sockets to the table may have expired meanwhile: let the client notice before it uses them.
    await sleep(100)
    const from = taken
    taken += size
    return countDynamo(() =>
      Promise.all(
        counters.map((each, shard) => {
          const records = recordsOf(usage.slice(shard * size, (shard + 1) * size), from)
          return applyUsage(
            { counters: each, log: quietLog, now },
            { shard: `shardId-${String(shard).padStart(12, '0')}`, records },
          )
        }),
      ),
    )
  }
}
