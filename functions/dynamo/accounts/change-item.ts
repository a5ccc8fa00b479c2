import { setTimeout as sleep } from 'node:timers/promises'
import { PutCommand } from '@aws-sdk/lib-dynamodb'
import { AppError } from '../../../shared/errors.ts'
import { type ItemKey, readItem } from '../read-items.ts'
import { type Table, tryWrite } from '../table.ts'

/** Time for retries when several requests change an item. An API on AWS responds within 29 seconds. */
const maxRetryMs = 15_000
const maxPauseMs = 500

type Changed<Value> = { key: ItemKey; attribute: 'policy' | 'rules'; at: string; change(stored: Value | undefined): Value }

/** Changes one attribute of an item that has nothing else, atomically: `change` may run several times. Throws what it throws. */
export async function changeItem<Value>(table: Table, { key, attribute, at, change }: Changed<Value>): Promise<Value> {
  const endAt = performance.now() + maxRetryMs
  for (let tries = 0; performance.now() < endAt; tries++) {
    if (tries > 0) await sleep(Math.random() * Math.min(maxPauseMs, 5 * 2 ** tries))
    const stored = await readItem(table, key)
    const version = Number(stored?.version ?? 0)
    const changed = change(stored?.[attribute] as Value | undefined)
    const put = new PutCommand({
      TableName: table.name,
      Item: { ...key, [attribute]: changed, version: version + 1, changedAt: at },
      ConditionExpression: 'attribute_not_exists(pk) OR version = :read',
      ExpressionAttributeValues: { ':read': version },
    })
    if (await tryWrite(table.db.send(put))) return changed
  }
  throw new AppError('temporarily_unavailable', `Too many requests change the ${attribute} at the same time. Try again.`, {
    retry: 'limited',
    retryAfterMs: 1_000,
  })
}
