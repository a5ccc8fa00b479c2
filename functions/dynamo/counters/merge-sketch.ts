import { PutCommand } from '@aws-sdk/lib-dynamodb'
import { addUsers, countUsers, fromBytes, noUsers, toBytes } from '../../../shared/usage/unique-users.ts'
import { type ItemKey, readItem } from '../read-items.ts'
import { type Table, tryWrite } from '../table.ts'
import type { Item } from '../update.ts'

const maxRounds = 100
const daysKept = 35

/** Adds users to a day's sketch and returns the number of users in it. Writes only if there are new users. */
export async function mergeSketch(table: Table, key: ItemKey, day: string, hashes: Set<string>, read: Item): Promise<number> {
  let item = read
  for (let round = 0; round < maxRounds; round++) {
    const stored = item.users instanceof Uint8Array ? fromBytes(item.users) : noUsers()
    const merged = addUsers(stored, hashes)
    if (merged === stored) return countUsers(stored)
    const version = Number(item.version ?? 0)
    const expiresAt = Date.parse(day) / 1000 + daysKept * 86_400
    if (await putVersion(table, { ...key, users: toBytes(merged), version: version + 1, expiresAt })) return countUsers(merged)
    item = (await readItem(table, key)) ?? {}
  }
  throw new Error(`Sketch ${key.sk} changed ${maxRounds} times during a write. The shard is retried.`)
}

function putVersion({ db, name }: Table, item: Item & { version: number }): Promise<boolean> {
  const condition =
    item.version === 1
      ? { ConditionExpression: 'attribute_not_exists(pk)' }
      : {
          ConditionExpression: '#version = :before',
          ExpressionAttributeNames: { '#version': 'version' },
          ExpressionAttributeValues: { ':before': item.version - 1 },
        }
  return tryWrite(db.send(new PutCommand({ TableName: name, Item: item, ...condition })))
}
