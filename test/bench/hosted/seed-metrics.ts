import { BatchWriteCommand, QueryCommand } from '@aws-sdk/lib-dynamodb'
import { closeDays } from '../../../functions/dynamo/counters/close-days.ts'
import type { Hosted } from '../../../functions/hosted.ts'
import { parseLibraryId } from '../../../shared/library.ts'
import { applyUsage } from '../../../shared/usage/apply-usage.ts'
import { randomFrom } from '../random.ts'
import { addBenchLibrary, madeUp } from './add-bench-library.ts'
import { makeUsage, recordsOf, topicName } from './make-usage.ts'
import { quietLog, withHosted, withTable } from './temp-hosted.ts'

const dayMs = 86_400_000

/** Adds a library with full days up to today, the open ones with checkpoints of all shards. Returns its owner's key and the size of today. */
export async function seedMetrics(
  dataDir: string,
  address: string,
  { days, shards }: { days: number; shards: number },
): Promise<{ key: string; dayBytes: number }> {
  const key = await withHosted(dataDir, async (hosted) => {
    await addBenchLibrary(hosted, address, madeUp(12, 1))
    await countOneDay(hosted, shards)
    return ownerKey(hosted, address)
  })
  return { key, dayBytes: await copyDay(dataDir, address, days) }
}

/** Uses the counters, so that every client has users, every country and topic has requests, and every shard has a checkpoint. */
async function countOneDay({ counters }: Hosted, shards: number): Promise<void> {
  const now = () => new Date()
  const at = now().toISOString()
  const usage = makeUsage(40_000, { libraries: 1, clients: 20, topics: 1000, at, seed: 1, userOf: (n) => n % 2000 })
  // There are more topics than a library keeps, so that all places are used.
  for (const [n, event] of usage.slice(0, 1500).entries()) event.topics = [topicName(n)]
  for (let shard = 0; shard < shards; shard++) {
    const records = recordsOf(usage.slice(shard * 2500, (shard + 1) * 2500), 0)
    await applyUsage({ counters, log: quietLog, now }, { shard: `shardId-${String(shard).padStart(12, '0')}`, records })
  }
}

/** Copies today's item to earlier days with the numbers of a busy library, and closes them. Returns the size of today. */
export async function copyDay(dataDir: string, address: string, days: number): Promise<number> {
  const random = randomFrom(1)
  return withTable(dataDir, async ({ db, name }) => {
    const today = new Date().toISOString().slice(0, 10)
    const pk = `LIB#${address}`
    const condition = {
      KeyConditionExpression: 'pk = :pk AND sk = :sk',
      ExpressionAttributeValues: { ':pk': pk, ':sk': `DAY#${today}` },
    }
    const { Items: [item = {}] = [] } = await db.send(new QueryCommand({ TableName: name, ...condition }))
    const busy = () =>
      Object.entries(item).map(([attribute, value]) => [attribute, typeof value === 'number' ? scaled(attribute) : value])
    const scaled = (attribute: string) => Math.floor(random() * (attribute.startsWith('users') ? 1e5 : 1e6))
    const items = Array.from({ length: days }, (_, ago) => {
      const date = new Date(Date.parse(today) - ago * dayMs).toISOString().slice(0, 10)
      return { ...Object.fromEntries(busy()), sk: `DAY#${date}` }
    })
    for (let from = 0; from < days; from += 25) {
      const puts = items.slice(from, from + 25).map((Item) => ({ PutRequest: { Item } }))
      await db.send(new BatchWriteCommand({ RequestItems: { [name]: puts } }))
    }
    for (const { sk } of items) await closeDays({ db, name }, pk, sk.slice('DAY#'.length))
    return Object.entries(item).reduce(
      (sum, [attribute, value]) => sum + attribute.length + (typeof value === 'string' ? value.length : 4),
      0,
    )
  })
}

async function ownerKey({ teamspaces, catalog }: Hosted, address: string): Promise<string> {
  const { id } = await teamspaces.create('bench', 'team')
  await catalog.own(parseLibraryId(address), id)
  await teamspaces.own(id, address, 'operator')
  return (await teamspaces.createKey(id, { createdBy: 'bench' })).key
}
