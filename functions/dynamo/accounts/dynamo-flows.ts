import { createHash, randomBytes } from 'node:crypto'
import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb'
import type { Flow, Flows } from '../../access/flows.ts'
import type { ItemKey } from '../read-items.ts'
import type { Table } from '../table.ts'

/** Time for signing in at the issuer. */
const flowMs = 10 * 60_000
const tokenShape = /^[\w-]{43}$/

/** Deleting the item takes the flow, so a repeated response of the issuer finds none. */
export function dynamoFlows({ table: { db, name: TableName }, now }: { table: Table; now(): Date }): Flows {
  return {
    async begin({ verifier, state, nonce, next }) {
      const token = randomBytes(32).toString('base64url')
      const endsAt = new Date(now().getTime() + flowMs)
      const Item = { ...flowKey(token), verifier, state, nonce, next, expiresAt: Math.floor(endsAt.getTime() / 1000) }
      await db.send(new PutCommand({ TableName, Item }))
      return { token, endsAt }
    },

    async take(token) {
      if (!tokenShape.test(token)) return undefined
      const { Attributes } = await db.send(new DeleteCommand({ TableName, Key: flowKey(token), ReturnValues: 'ALL_OLD' }))
      const item = Attributes as (Flow & { expiresAt: number }) | undefined
      if (item === undefined || item.expiresAt * 1000 <= now().getTime()) return undefined
      const { verifier, state, nonce, next } = item
      return { verifier, state, nonce, next }
    },
  }
}

const flowKey = (token: string): ItemKey => ({
  pk: `FLOW#${createHash('sha256').update(token).digest('hex')}`,
  sk: 'FLOW',
})
