import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb'
import type { BundleBook, BundleState } from '../bundles/bundle-book.ts'
import type { Table } from './table.ts'

const keptDays = 7

/** How far each zip is, for as long as the zip itself is kept. */
export function dynamoBundles({ table: { db, name }, now }: { table: Table; now(): Date }): BundleBook {
  const key = (id: string) => ({ pk: `BUNDLE#${id}`, sk: 'BUNDLE' })
  return {
    async write(id, state) {
      const expiresAt = Math.floor(now().getTime() / 1000) + keptDays * 86_400
      await db.send(new PutCommand({ TableName: name, Item: { ...key(id), state, expiresAt } }))
    },
    async find(id) {
      const { Item } = await db.send(new GetCommand({ TableName: name, Key: key(id), ConsistentRead: true }))
      return Item?.state as BundleState | undefined
    },
  }
}
