import { PutCommand } from '@aws-sdk/lib-dynamodb'
import type { BundleState, BundleStatusStore } from '../../bundles/bundle-status.ts'
import { readItem } from '../read-items.ts'
import type { Table } from '../table.ts'

const keptDays = 7

/** The status of each zip, kept as long as the zip itself. */
export function dynamoBundles({ table, now }: { table: Table; now(): Date }): BundleStatusStore {
  const { db, name } = table
  const key = (id: string) => ({ pk: `BUNDLE#${id}`, sk: 'BUNDLE' })
  return {
    async write(id, state) {
      const at = now().getTime()
      const expiresAt = Math.floor(at / 1000) + keptDays * 86_400
      await db.send(new PutCommand({ TableName: name, Item: { ...key(id), state, at, expiresAt } }))
    },
    async find(id) {
      const item = await readItem(table, key(id))
      return item && { state: item.state as BundleState, at: new Date(Number(item.at)) }
    },
  }
}
