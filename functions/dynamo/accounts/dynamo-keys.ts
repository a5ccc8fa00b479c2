import { timingSafeEqual } from 'node:crypto'
import { PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { AppError } from '../../../shared/errors.ts'
import { hashApiKey, isWellFormedKey, keyPrefixes, makeApiKey, printPrefix } from '../../../shared/keys/api-key.ts'
import { KeyName, type ListedKey, type Teamspace, type Teamspaces } from '../../access/teamspaces.ts'
import { readItem, readItemsUnder } from '../read-items.ts'
import { type Table, tryWrite } from '../table.ts'

type DynamoKeysPorts = {
  table: Table
  now(): Date
  /** Throws team_not_found. */
  existing(teamspace: string): Promise<Teamspace>
}
type Keys = Pick<Teamspaces, 'createKey' | 'findKey' | 'revokeKey' | 'listKeys'>

const unnamed = 'unnamed'

/** Partition of a teamspace. Names are compared without case. */
export const team = (name: string): string => `TEAM#${name.toLowerCase()}`

/** A key has two items: one that requests find it by, and one in its teamspace's partition, for the listing. */
export function dynamoKeys({ table, now, existing }: DynamoKeysPorts): Keys {
  const { db, name: TableName } = table
  const time = () => now().toISOString()
  return {
    async createKey(teamspace, name = unnamed) {
      const owner = await existing(teamspace)
      const read = KeyName.safeParse(name)
      if (!read.success) throw new AppError('validation_error', `The name of the key ${read.error.issues[0]?.message}.`)
      const key = makeApiKey(keyPrefixes.hosted)
      const hash = hashApiKey(key)
      const id = idOf(hash)
      const shown = { id, name: read.data, prefix: printPrefix(key), createdAt: time() }
      // The listing is written first: a crash between the two writes leaves a listed key that was never shown and is not valid.
      await db.send(new PutCommand({ TableName, Item: { pk: team(owner.name), sk: `KEY#${id}`, ...shown } }))
      const Item = { pk: `KEY#${id}`, sk: 'KEY', hash, teamspace: owner.name, ...shown }
      const isNew = await tryWrite(db.send(new PutCommand({ TableName, Item, ConditionExpression: 'attribute_not_exists(pk)' })))
      if (!isNew) throw new Error('Two keys have the same id.')
      return { id, key }
    },

    async findKey(key) {
      if (!key.startsWith(keyPrefixes.hosted) || !isWellFormedKey(key)) return undefined
      const hash = hashApiKey(key)
      const item = await readItem(table, { pk: `KEY#${idOf(hash)}`, sk: 'KEY' })
      if (item === undefined || item.revokedAt !== undefined || !isSame(String(item.hash), hash)) return undefined
      return { id: String(item.id), teamspace: String(item.teamspace) }
    },

    async revokeKey(id) {
      const item = id.length > 100 ? undefined : await readItem(table, { pk: `KEY#${id}`, sk: 'KEY' })
      if (item === undefined) return false
      const revoke = (pk: string, sk: string) =>
        tryWrite(
          db.send(
            new UpdateCommand({
              TableName,
              Key: { pk, sk },
              UpdateExpression: 'SET revokedAt = if_not_exists(revokedAt, :now)',
              ConditionExpression: 'attribute_exists(pk)',
              ExpressionAttributeValues: { ':now': time() },
            }),
          ),
        )
      await revoke(`KEY#${id}`, 'KEY')
      await revoke(team(String(item.teamspace)), `KEY#${id}`)
      return true
    },

    async listKeys(teamspace) {
      const items = await readItemsUnder(table, { pk: team((await existing(teamspace)).name), sk: 'KEY#' })
      const keys = items.map(
        ({ id, name, prefix, createdAt, revokedAt = null }) => ({ id, name, prefix, createdAt, revokedAt }) as ListedKey,
      )
      return keys.sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1))
    },
  }
}

const idOf = (hash: string): string => hash.slice(0, 16)

const isSame = (stored: string, hash: string): boolean =>
  stored.length === hash.length && timingSafeEqual(Buffer.from(stored), Buffer.from(hash))
