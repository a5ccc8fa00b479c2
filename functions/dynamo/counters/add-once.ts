import { countFrequent } from '../../../shared/usage/count-frequent.ts'
import { type ItemKey, readItem } from '../read-items.ts'
import type { Table } from '../table.ts'
import { type Condition, type Item, type Update, update } from '../update.ts'
import { checkpointName, checkpointValue, sequenceOf, staleCheckpoints } from './checkpoint.ts'
import { type Bucket, bucketOf, maxTopics } from './topic-buckets.ts'

/** One event adds 1 to each of the attributes. Its sequence number is padded. */
export type Addition = { sequence: string; attributes: readonly string[] }

export type Additions = {
  key: ItemKey
  shard: string
  /** Additions in the order of their sequence numbers. */
  additions: Addition[]
  /** Attributes with the values that they must reach at least. */
  raise?: Map<string, number>
  /** Set for an item with a limited number of attributes; `known` is its last known content. */
  bucket?: { known: Bucket | undefined }
}

/** An expression of DynamoDB has at most 4 KB. */
const maxAttributes = 250
const maxRounds = 100
const maxPruned = 20

/**
 * Adds the events above the item's checkpoint of this shard, and moves the checkpoint in the same write: each event counts once,
 * however often and in whatever batches it is delivered. The item is read only if a condition fails. Returns the item if it was seen.
 */
export async function addOnce(ports: { table: Table; now(): Date }, bucketAdditions: Additions): Promise<Item | undefined> {
  const { table, now } = ports
  const checkpoint = checkpointName(bucketAdditions.shard)
  let item = bucketAdditions.bucket && !bucketAdditions.bucket.known ? await itemNow(table, bucketAdditions.key) : undefined
  for (let round = 0; round < maxRounds; round++) {
    const change = nextChange(bucketAdditions, checkpoint, item, now())
    if (!change) return item
    const written = change === 'read' ? undefined : await update(table, bucketAdditions.key, change)
    if (written) await prune(table, bucketAdditions.key, written, now())
    item = written ?? (await itemNow(table, bucketAdditions.key))
  }
  throw new Error(`Item ${bucketAdditions.key.sk} changed ${maxRounds} times during a write. The shard is retried.`)
}

const itemNow = async (table: Table, key: ItemKey): Promise<Item> => (await readItem(table, key)) ?? {}

/** The next write; undefined if everything is counted, 'read' if it depends on the item. */
function nextChange(
  bucketAdditions: Additions,
  checkpoint: string,
  item: Item | undefined,
  now: Date,
): Update | 'read' | undefined {
  const before = item?.[checkpoint]
  const rest = item
    ? bucketAdditions.additions.filter(({ sequence }) => sequence > sequenceOf(before))
    : bucketAdditions.additions
  const bucket = bucketAdditions.bucket && (item ? bucketOf(item) : bucketAdditions.bucket.known)
  const { add, last } = takeIn(rest, bucket ? Number.POSITIVE_INFINITY : maxAttributes)
  const counted = bucket && countInBucket(bucket, add)
  // The counts of a cached bucket are old.
  if (counted?.replaced && !item) return 'read'
  const raise = [...(bucketAdditions.raise ?? [])].filter(([name, value]) => value > Number(item?.[name] ?? 0))
  const nothingToCount = last === undefined || (bucket !== undefined && add.size === 0)
  if (nothingToCount && raise.length === 0) return undefined

  const set = new Map<string, unknown>(raise)
  const conditions: Condition[] = raise.map(([name, value]) => ({ name, is: '<=', value, orAbsent: true }))
  if (last !== undefined) {
    set.set(checkpoint, checkpointValue(last, now))
    conditions.push(unchanged(checkpoint, item, rest[0]?.sequence))
  }
  if (!bucket || !counted) return { add, set, conditions }
  conditions.push(asRead('replacements', bucket.replacements))
  // Other containers may add topics, or count the one that is replaced.
  if (counted.replaced) conditions.push(asRead('changes', bucket.changes))
  if (counted.size > bucket.topics.size) {
    conditions.push(asRead('size', bucket.topics.size))
    set.set('size', counted.size)
  }
  for (const [name, value] of counted.set) set.set(name, value)
  return { add: counted.add, set, remove: counted.remove, conditions }
}

const asRead = (name: string, value: number): Condition => (value === 0 ? { name, is: 'absent' } : { name, is: '=', value })

/** The change of a bucket by Space-Saving: counts that are added, and topics that take the places of others. */
function countInBucket({ topics }: Bucket, counts: Map<string, number>) {
  const after = new Map(topics)
  for (const [name, count] of counts) countFrequent(after, name, count, maxTopics)
  const remove = [...topics.keys()].filter((name) => !after.has(name))
  const add = new Map([['changes', 1]])
  const set = new Map<string, number>()
  for (const [name, count] of counts) {
    if (!after.has(name)) continue
    if (topics.has(name) && after.get(name) === (topics.get(name) ?? 0) + count) add.set(name, count)
    else set.set(name, after.get(name) ?? count)
  }
  const replaced = remove.length > 0 || [...set.keys()].some((name) => topics.has(name))
  if (replaced) add.set('replacements', 1)
  return { add, set, remove, replaced, size: after.size }
}

/** The checkpoint must be as it was read, or below the first event if the item was not read. */
function unchanged(checkpoint: string, item: Item | undefined, first: string | undefined): Condition {
  if (!item) return { name: checkpoint, is: '<', value: first, orAbsent: true }
  const value = item[checkpoint]
  return value === undefined ? { name: checkpoint, is: 'absent' } : { name: checkpoint, is: '=', value }
}

/** Sums up the first events, as many as fit into one write. A bucket takes all, because it keeps only some of their topics. */
function takeIn(additions: Addition[], maxNames: number): { add: Map<string, number>; last?: string } {
  const add = new Map<string, number>()
  let last: string | undefined
  for (const { sequence, attributes } of additions) {
    if (add.size + attributes.length > maxNames && attributes.some((name) => !add.has(name))) break
    for (const name of attributes) add.set(name, (add.get(name) ?? 0) + 1)
    last = sequence
  }
  return { add, last }
}

async function prune(table: Table, key: ItemKey, item: Item, now: Date): Promise<void> {
  const stale = staleCheckpoints(item, now).slice(0, maxPruned)
  if (stale.length === 0) return
  const conditions = stale.map(([name, value]): Condition => ({ name, is: '=', value }))
  await update(table, key, { remove: stale.map(([name]) => name), conditions })
}
