import { PutCommand } from '@aws-sdk/lib-dynamodb'
import { type BundleState, type BundleStatusStore, deadMs } from '../../bundles/bundle-status.ts'
import { readItem } from '../read-items.ts'
import { type Table, tryWrite } from '../table.ts'

export const keptDays = 7

/** The status of each build, kept as long as a zip. */
export function dynamoBundles({ table, now }: { table: Table; now(): Date }): BundleStatusStore {
  const { db, name } = table
  const key = (id: string) => ({ pk: `BUNDLE#${id}`, sk: 'BUNDLE' })
  const itemOf = (id: string, state: BundleState) => {
    const at = now().getTime()
    return { ...key(id), state, at, expiresAt: Math.floor(at / 1000) + keptDays * 86_400 }
  }
  return {
    async claim(id) {
      const Item = itemOf(id, { state: 'building', done: 0, total: 0 })
      // Another builder that is alive keeps its claim.
      const ConditionExpression = 'attribute_not_exists(pk) OR #state.#state <> :building OR #at < :dead'
      const ExpressionAttributeNames = { '#state': 'state', '#at': 'at' }
      const ExpressionAttributeValues = { ':building': 'building', ':dead': Item.at - deadMs }
      const claim = { Item, ConditionExpression, ExpressionAttributeNames, ExpressionAttributeValues }
      return tryWrite(db.send(new PutCommand({ TableName: name, ...claim })))
    },
    async write(id, state) {
      await db.send(new PutCommand({ TableName: name, Item: itemOf(id, state) }))
    },
    async find(id) {
      const item = await readItem(table, key(id))
      return item && { state: item.state as BundleState, at: new Date(Number(item.at)) }
    },
  }
}
