import { DeleteCommand } from '@aws-sdk/lib-dynamodb'
import type { Log } from '../../../shared/log.ts'
import { boundOf } from '../../../shared/usage/answer-times.ts'
import type { CountedId, PlacedEvent } from '../../../shared/usage/counters.ts'
import { raisedCounters, surfaces, type UsageEvent } from '../../../shared/usage/usage-event.ts'
import type { HostedCounters } from '../../counting/hosted-counters.ts'
import { partitionItems, type Table } from '../table.ts'
import type { Item } from '../update.ts'
import { type Addition, addOnce } from './add-once.ts'
import { paddedSequence } from './checkpoint.ts'
import { closeDays, timeAttribute } from './close-days.ts'
import { countedReader } from './counted-reader.ts'
import { mergeUsers, skipUnwritable } from './merge-users.ts'
import { readCounted } from './read-counted.ts'
import { bucketNumber, bucketOf, type TopicBuckets, topicAttribute, topicBuckets } from './topic-buckets.ts'

type DynamoCountersPorts = { table: Table; log: Log; now(): Date }

/** One call of `add`, with padded sequence numbers. Only the first event with an id counts; the others are in `repeated`. */
type Batch = { pk: string; shard: string; events: PlacedEvent[]; repeated: Set<PlacedEvent> }

/** Questions that nothing matched are in TOTAL too, so that it changes with every event. */
const totalsOf = (event: UsageEvent) => raisedCounters(event).slice(0, 1)
const countersOf = (event: UsageEvent) => [
  ...raisedCounters(event),
  ...(event.question ? [timeAttribute(boundOf(event.question.ms))] : []),
]
const none: readonly string[] = []

/**
 * Counters in DynamoDB. Each item has one checkpoint per shard. An item that no retry can fix is logged and skipped. Writes per library
 * and batch: one each for TOTAL, COUNTRIES and the day, up to four for topics, one per changed sketch, and one more for the first
 * event of a day.
 */
export function dynamoCounters(ports: DynamoCountersPorts): HostedCounters {
  const buckets = topicBuckets()
  const readEach = countedReader(ports.table)
  return {
    async add(id, shard, sequencedEvents) {
      const events = sequencedEvents.map(({ sequence, event }) => ({ sequence: paddedSequence(sequence), event }))
      const batch = { pk: keyOf(id), shard, events, repeated: repeatedIn(events) }
      const writes = [
        addAll(ports, batch, 'COUNTRIES', ({ country }) => (country === undefined ? none : [country])),
        ...addTopics(ports, batch, buckets),
        ...addDays(ports, batch),
      ]
      const failed = (await Promise.allSettled(writes)).find((write) => write.status === 'rejected')
      if (failed) throw failed.reason
      // The last one, so that readers can keep the rest until it changes.
      await addAll(ports, batch, 'TOTAL', totalsOf)
    },
    read: (id, from, to) => readCounted(ports.table, keyOf(id), from, to),
    readEach: (ids, from, to) => readEach(ids.map(keyOf), from, to),
    forget: (id) => forgetUsage(ports.table, keyOf(id)),
  }
}

const keyOf = (id: CountedId): string => `LIB#${id}`

function repeatedIn(events: PlacedEvent[]): Set<PlacedEvent> {
  const ids = new Set<string>()
  const repeated = new Set<PlacedEvent>()
  for (const placed of events) {
    if (ids.has(placed.event.id)) repeated.add(placed)
    ids.add(placed.event.id)
  }
  return repeated
}

/** The additions of the events to one item. An event that adds nothing is omitted; a repeated one only moves the checkpoint. */
function additionsOf({ events, repeated }: Batch, attributesOf: (event: UsageEvent) => readonly string[]): Addition[] {
  const additions: Addition[] = []
  for (const placed of events) {
    const attributes = attributesOf(placed.event)
    if (attributes.length > 0) additions.push({ sequence: placed.sequence, attributes: repeated.has(placed) ? none : attributes })
  }
  return additions
}

async function addAll(
  ports: DynamoCountersPorts,
  batch: Batch,
  sk: string,
  attributesOf: (event: UsageEvent) => readonly string[],
) {
  const additions = additionsOf(batch, attributesOf)
  if (additions.length === 0) return
  const key = { pk: batch.pk, sk }
  await skipUnwritable(ports.log, key, () => addOnce(ports, { key, shard: batch.shard, additions }))
}

function addTopics(ports: DynamoCountersPorts, batch: Batch, buckets: TopicBuckets): Promise<void>[] {
  return Array.from(topicAdditions(batch), ([number, additions]) => {
    const key = { pk: batch.pk, sk: `TOPICS#${number}` }
    const name = `${key.pk} ${key.sk}`
    return skipUnwritable(ports.log, key, async () => {
      const item = await addOnce(ports, { key, shard: batch.shard, additions, bucket: { known: buckets.get(name) } })
      if (item) buckets.set(name, bucketOf(item))
    })
  })
}

/** The additions of the events to each bucket of topics. A topic counts once per request. */
function topicAdditions({ events, repeated }: Batch): Map<number, Addition[]> {
  const byBucket = new Map<number, Addition[]>()
  for (const placed of events) {
    for (const [number, topics] of Map.groupBy(new Set(placed.event.topics), bucketNumber)) {
      const additions = byBucket.get(number) ?? []
      byBucket.set(number, additions)
      additions.push({ sequence: placed.sequence, attributes: repeated.has(placed) ? none : topics.map(topicAttribute) })
    }
  }
  return byBucket
}

function addDays(ports: DynamoCountersPorts, batch: Batch): Promise<void>[] {
  const byDay = Map.groupBy(batch.events, ({ event }) => event.at.slice(0, 10))
  return Array.from(byDay, ([day, events]) => {
    const key = { pk: batch.pk, sk: `DAY#${day}` }
    return skipUnwritable(ports.log, key, async () => {
      const raise = await mergeUsers(ports, batch.pk, day, events)
      const additions = additionsOf({ ...batch, events }, countersOf)
      const item = await addOnce(ports, { key, shard: batch.shard, additions, raise })
      const isFirst = item !== undefined && eventsOf(item) <= events.length
      if (isFirst) await closeDays(ports.table, batch.pk, day)
    })
  })
}

/** Every event raises one of these counters. */
const eventCounters = [...surfaces, 'unanswered']
const eventsOf = (day: Item): number => eventCounters.reduce((sum, counter) => sum + Number(day[counter] ?? 0), 0)

/** Deletes a partition of counters. Events that are still on the stream create it again. */
async function forgetUsage(table: Table, pk: string): Promise<void> {
  for await (const { sk } of partitionItems(table, pk)) {
    await table.db.send(new DeleteCommand({ TableName: table.name, Key: { pk, sk } }))
  }
}
