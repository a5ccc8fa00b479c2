import { timingSafeEqual } from 'node:crypto'
import { DeleteCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { AppError } from '../../../shared/errors.ts'
import { hashApiKey, isWellFormedKey, keyPrefixes, makeApiKey, printPrefix } from '../../../shared/keys/api-key.ts'
import { utcDay } from '../../../shared/time/utc-day.ts'
import { isAtLeast, KeyName, type KeyRights, type ListedKey, type Teamspaces } from '../../access/teamspaces.ts'
import { type ItemKey, readItem, readItemsOf, readItemsUnder } from '../read-items.ts'
import { type Table, tryWrite } from '../table.ts'
import { openTeam, teamPart } from './team-items.ts'

type Keys = Pick<Teamspaces, 'createKey' | 'findKey' | 'teamspaceOfKey' | 'revokeKey' | 'listKeys'> & {
  removeAll(id: string): Promise<void>
}

const noHolder = 'You are no member of the teamspace any more.'
const unnamed = 'unnamed'
const maxIdLength = 100

/** An expired key stays listed, so its expiry is not in `expiresAt`, by which DynamoDB deletes items. */
type KeyItem = Omit<ListedKey, 'expiresAt'> & { hash: string; team: string; validUntil?: string }

type DynamoKeysPorts = { table: Table; now(): Date } & Pick<Teamspaces, 'membership'>

/** A key is one item, which requests find it by. The partition of its teamspace has the key's id, for the listing. */
export function dynamoKeys({ table, now, membership }: DynamoKeysPorts): Keys {
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

  /** The rights of a key, and undefined if its holder is no member any more. */
  const heldRights = async (item: KeyItem): Promise<KeyRights | undefined> => {
    const rights = rightsOf(item)
    if ((item.holder ?? null) === null) return rights
    const member = await membership(item.team, String(item.holder))
    return member && { ...rights, role: isAtLeast(member.role, rights.role) ? rights.role : member.role }
  }

  return {
    async createKey(team, { name = unnamed, createdBy, holder, role = 'admin', scope = 'admin', expiresAt }) {
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
        holder,
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
        if (holder !== undefined && !(await membership(team, holder))) throw new AppError('user_not_found', noHolder)
      } catch (error) {
        // The teamspace was deleted or the member removed meanwhile, which may have missed this key.
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
      const rights = await heldRights(item)
      if (rights === undefined) return undefined
      await recordUse(item)
      return { id: item.id, teamspace: item.team, ...rights }
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
      const items = (await readItemsOf(table, (await idsIn(team)).map(keyOf), true)) as KeyItem[]
      return items.map(listed).sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1))
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
  const { id, name, prefix, createdAt, createdBy, holder = null, usedDay = null, revokedAt = null } = item
  return { id, name, prefix, createdAt, createdBy, holder, ...rightsOf(item), usedDay, revokedAt }
}

const isSame = (stored: string, hash: string): boolean =>
  stored.length === hash.length && timingSafeEqual(Buffer.from(stored), Buffer.from(hash))
