import { timingSafeEqual } from 'node:crypto'
import { DeleteCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { AppError } from '../../../shared/errors.ts'
import { hashApiKey, isWellFormedKey, keyPrefixes, makeApiKey, printPrefix } from '../../../shared/keys/api-key.ts'
import { mapOrdered } from '../../../shared/time/map-ordered.ts'
import { utcDay } from '../../../shared/time/utc-day.ts'
import { KeyName, type KeyRights, type ListedKey, type Teamspaces } from '../../access/teamspaces.ts'
import { type ItemKey, readItem, readItemsUnder } from '../read-items.ts'
import { type Table, tryWrite } from '../table.ts'
import { openTeam, teamPart } from './team-items.ts'

type Keys = Pick<Teamspaces, 'createKey' | 'findKey' | 'teamspaceOfKey' | 'revokeKey' | 'listKeys'> & {
  removeAll(id: string): Promise<void>
}

const unnamed = 'unnamed'
const maxIdLength = 100
const concurrentReads = 10

/** An expired key stays listed, so its expiry is not in `expiresAt`, by which DynamoDB deletes items. */
type KeyItem = Omit<ListedKey, 'expiresAt'> & { hash: string; team: string; validUntil?: string }

/** A key is one item, which requests find it by. The partition of its teamspace has the key's id, for the listing. */
export function dynamoKeys({ table, now }: { table: Table; now(): Date }): Keys {
  const { db, name: TableName } = table
  const time = () => now().toISOString()
  const read = async (id: string) =>
    id.length > maxIdLength ? undefined : ((await readItem(table, keyOf(id))) as KeyItem | undefined)
  const remove = (Key: ItemKey) => db.send(new DeleteCommand({ TableName, Key }))
  const idsIn = async (team: string) =>
    (await readItemsUnder(table, { pk: teamPart(team), sk: 'KEY#' })).map(({ sk }) => String(sk).slice('KEY#'.length))

  /** At most one write per day. The request of the key succeeds even if it fails. */
  const recordUse = async ({ id, usedDay }: KeyItem) => {
    const today = utcDay(now())
    if (usedDay !== undefined && usedDay !== null && usedDay >= today) return
    const use = new UpdateCommand({
      TableName,
      Key: keyOf(id),
      UpdateExpression: 'SET usedDay = :today',
      ConditionExpression: 'attribute_exists(pk) AND (attribute_not_exists(usedDay) OR usedDay < :today)',
      ExpressionAttributeValues: { ':today': today },
    })
    await tryWrite(db.send(use)).catch(() => false)
  }

  return {
    async createKey(team, { name = unnamed, createdBy, role = 'admin', scope = 'admin', expiresAt }) {
      await openTeam(table, team)
      const read = KeyName.safeParse(name)
      if (!read.success) throw new AppError('validation_error', `The name of the key ${read.error.issues[0]?.message}.`)
      const key = makeApiKey(keyPrefixes.hosted)
      const hash = hashApiKey(key)
      const id = idOf(hash)
      const facts = {
        id,
        name: read.data,
        prefix: printPrefix(key),
        createdAt: time(),
        createdBy,
        role,
        scope,
        validUntil: expiresAt,
      }
      // The listing is written first: a crash between the two writes leaves an id without a key.
      await db.send(new PutCommand({ TableName, Item: { pk: teamPart(team), sk: `KEY#${id}` } }))
      const Item = { ...keyOf(id), hash, team, ...facts }
      const isNew = await tryWrite(db.send(new PutCommand({ TableName, Item, ConditionExpression: 'attribute_not_exists(pk)' })))
      if (!isNew) throw new Error('Two keys have the same id.')
      try {
        await openTeam(table, team)
      } catch (error) {
        // The teamspace was deleted meanwhile, and its deletion may have missed this key.
        await remove(keyOf(id))
        throw error
      }
      return { id, key }
    },

    async findKey(key) {
      if (!key.startsWith(keyPrefixes.hosted) || !isWellFormedKey(key)) return undefined
      const hash = hashApiKey(key)
      const item = await read(idOf(hash))
      if (item === undefined || (item.revokedAt ?? null) !== null || !isSame(item.hash, hash)) return undefined
      await recordUse(item)
      return { id: item.id, teamspace: item.team, ...rightsOf(item) }
    },

    teamspaceOfKey: async (id) => (await read(id))?.team,

    async revokeKey(id) {
      if (id.length > maxIdLength) return false
      const revoke = new UpdateCommand({
        TableName,
        Key: keyOf(id),
        UpdateExpression: 'SET revokedAt = if_not_exists(revokedAt, :now)',
        ConditionExpression: 'attribute_exists(pk)',
        ExpressionAttributeValues: { ':now': time() },
      })
      return tryWrite(db.send(revoke))
    },

    async listKeys(team) {
      await openTeam(table, team)
      const keys: ListedKey[] = []
      for await (const [, item] of mapOrdered(await idsIn(team), concurrentReads, read)) if (item) keys.push(listed(item))
      return keys.sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1))
    },

    async removeAll(team) {
      for (const id of await idsIn(team)) {
        await remove(keyOf(id))
        await remove({ pk: teamPart(team), sk: `KEY#${id}` })
      }
    },
  }
}

const keyOf = (id: string): ItemKey => ({ pk: `KEY#${id}`, sk: 'KEY' })

const idOf = (hash: string): string => hash.slice(0, 16)

const rightsOf = ({ role, scope, validUntil }: KeyItem): KeyRights => ({
  role,
  scope,
  ...(validUntil !== undefined && { expiresAt: validUntil }),
})

const listed = (item: KeyItem): ListedKey => {
  const { id, name, prefix, createdAt, createdBy, usedDay = null, revokedAt = null } = item
  return { id, name, prefix, createdAt, createdBy, ...rightsOf(item), usedDay, revokedAt }
}

const isSame = (stored: string, hash: string): boolean =>
  stored.length === hash.length && timingSafeEqual(Buffer.from(stored), Buffer.from(hash))
