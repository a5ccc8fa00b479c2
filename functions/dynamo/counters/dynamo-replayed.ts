import { PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import pLimit from 'p-limit'
import type { UsageEvent } from '../../../shared/usage/usage-event.ts'
import type { Replayed } from '../../counting/replay-batch.ts'
import { readItem, readItems } from '../read-items.ts'
import { type Table, tryWrite } from '../table.ts'

/** Never expires: a batch with a reused number would be below the counters' checkpoints. */
const lastKey = { pk: 'REPLAY', sk: 'LAST' }
const putsAtOnce = 16
/** An event is counted until it is 7 days old, and is dated at most 5 minutes ahead. */
const daysKept = 9

/** One item for the current batch, with its events until they are counted, and one item per event that names its batch. */
export function dynamoReplayed({ table, now }: { table: Table; now(): Date }): Replayed {
  const { db, name: TableName } = table

  const batches = async (ids: string[]): Promise<Map<string, unknown>> => {
    const items = await readItems(table, ids.map(keyOf), true)
    return new Map(Array.from(items, ([id, { batch }]) => [id, batch]))
  }
  const claimOne = (id: string, batch: number) => {
    const expiresAt = Math.floor(now().getTime() / 1000) + daysKept * 86_400
    const ConditionExpression = 'attribute_not_exists(pk)'
    return tryWrite(db.send(new PutCommand({ TableName, Item: { ...keyOf(id), batch, expiresAt }, ConditionExpression })))
  }

  return {
    async last() {
      const item = await readItem(table, lastKey)
      const events: UsageEvent[] = typeof item?.events === 'string' ? JSON.parse(item.events) : []
      return { number: Number(item?.number ?? 0), events }
    },
    async put({ number, events }) {
      const Item = { ...lastKey, number, events: JSON.stringify(events) }
      const behind = {
        ConditionExpression: '#number = :last',
        ExpressionAttributeNames: { '#number': 'number' },
        ExpressionAttributeValues: { ':last': number - 1 },
      }
      const condition = number === 1 ? { ConditionExpression: 'attribute_not_exists(pk)' } : behind
      return tryWrite(db.send(new PutCommand({ TableName, Item, ...condition })))
    },
    async claim(ids, number) {
      const before = await batches(ids)
      const unclaimed = ids.filter((id) => !before.has(id))
      const lost: string[] = []
      await pLimit(putsAtOnce).map(unclaimed, async (id) => {
        if (await claimOne(id, number)) before.set(id, number)
        else lost.push(id)
      })
      const after = await batches(lost)
      return new Set(ids.filter((id) => (before.get(id) ?? after.get(id)) === number))
    },
    async claimed(ids) {
      return new Set((await batches(ids)).keys())
    },
    async settle(number) {
      await tryWrite(
        db.send(
          new UpdateCommand({
            TableName,
            Key: lastKey,
            UpdateExpression: 'REMOVE #events',
            ConditionExpression: '#number = :number',
            ExpressionAttributeNames: { '#number': 'number', '#events': 'events' },
            ExpressionAttributeValues: { ':number': number },
          }),
        ),
      )
    },
  }
}

/** The id is in both keys, so that claims are spread over all partitions. */
const keyOf = (id: string) => ({ pk: `REPLAYED#${id}`, sk: id })
