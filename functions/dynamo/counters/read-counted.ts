import { QueryCommand } from '@aws-sdk/client-dynamodb'
import type { Counted } from '../../../shared/usage/counters.ts'
import { surfaces } from '../../../shared/usage/usage-event.ts'
import { readItems } from '../read-items.ts'
import type { Table } from '../table.ts'
import type { Item } from '../update.ts'
import { countsOf, dayOf, type Stored } from './close-days.ts'
import { topicOf } from './topic-buckets.ts'

/** Three concurrent calls, independent of the traffic. The days are paged by 1 MB. */
export async function readCounted(table: Table, pk: string, from: string, to: string): Promise<Counted> {
  const keys = ['TOTAL', 'COUNTRIES'].map((sk) => ({ pk, sk }))
  const [days, topics, rest] = await Promise.all([
    queryItems(table, pk, `DAY#${from}`, `DAY#${to}`),
    queryItems(table, pk, 'TOPICS#', 'TOPICS$'),
    readItems(table, keys, false),
  ])
  return {
    total: countsOf(surfaces, (surface) => Number(rest.get('TOTAL')?.[surface] ?? 0)),
    days: days.map(dayOf),
    topics: Object.fromEntries(topics.flatMap(topicCounts)),
    countries: Object.fromEntries(countryCounts(rest.get('COUNTRIES') ?? {})),
  }
}

function topicCounts(item: Stored): [string, number][] {
  const counts: [string, number][] = []
  for (const name in item) {
    const topic = topicOf(name)
    if (topic !== undefined) counts.push([topic, Number(item[name]?.N)])
  }
  return counts
}

const countryCounts = (item: Item): [string, number][] =>
  Object.entries(item).flatMap(([name, count]): [string, number][] => (/^[A-Z]{2}$/.test(name) ? [[name, Number(count)]] : []))

async function queryItems({ db, name }: Table, pk: string, first: string, last: string): Promise<Stored[]> {
  const items: Stored[] = []
  let after: Stored | undefined
  do {
    const page = await db.send(
      new QueryCommand({
        TableName: name,
        KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
        ExpressionAttributeValues: { ':pk': { S: pk }, ':first': { S: first }, ':last': { S: last } },
        ExclusiveStartKey: after,
      }),
    )
    items.push(...(page.Items ?? []))
    after = page.LastEvaluatedKey
  } while (after)
  return items
}
