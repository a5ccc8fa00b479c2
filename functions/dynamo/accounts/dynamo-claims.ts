import { randomBytes } from 'node:crypto'
import { DeleteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import type { Claim, Claims } from '../../claims/claims.ts'
import { type ItemKey, readItem } from '../read-items.ts'
import type { Table } from '../table.ts'
import { teamPart } from './team-items.ts'

const openDays = 7

export function dynamoClaims({ table, now }: { table: Table; now(): Date }): Claims {
  const { db, name: TableName } = table
  return {
    async begin(library, teamspace) {
      const { Attributes = {} } = await db.send(
        new UpdateCommand({
          TableName,
          Key: claimKey(library, teamspace),
          UpdateExpression: 'SET publicKey = if_not_exists(publicKey, :key), expiresAt = :expiresAt',
          ExpressionAttributeValues: {
            ':key': `pk_${randomBytes(24).toString('base64url')}`,
            ':expiresAt': Math.floor(now().getTime() / 1000) + openDays * 86_400,
          },
          ReturnValues: 'ALL_NEW',
        }),
      )
      return asClaim(Attributes)
    },

    async find(library, teamspace) {
      const item = await readItem(table, claimKey(library, teamspace))
      return item && Number(item.expiresAt) * 1000 > now().getTime() ? asClaim(item) : undefined
    },

    async end(library, teamspace) {
      await db.send(new DeleteCommand({ TableName, Key: claimKey(library, teamspace) }))
    },
  }
}

const claimKey = (library: string, teamspace: string): ItemKey => ({ pk: `CLAIM#${library}`, sk: teamPart(teamspace) })

const asClaim = ({ publicKey, expiresAt }: Record<string, unknown>): Claim => ({
  publicKey: String(publicKey),
  expiresAt: new Date(Number(expiresAt) * 1000).toISOString(),
})
