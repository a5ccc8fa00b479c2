import { createHash, randomBytes } from 'node:crypto'
import { DeleteCommand, PutCommand, paginateScan, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { mapOrdered } from '../../../shared/time/map-ordered.ts'
import { utcDay } from '../../../shared/time/utc-day.ts'
import type { ListedSession, Sessions } from '../../access/sessions.ts'
import { type ItemKey, readItem, readItemsUnder } from '../read-items.ts'
import { type Table, tryWrite } from '../table.ts'
import { userPart } from './dynamo-users.ts'

const dayMs = 86_400_000
/** A session that is not used for this time has ended. Its use is recorded once a day. */
const idleMs = 14 * dayMs
/** A session ends after this time, however it is used. */
const absoluteMs = 90 * dayMs
const maxAgentLength = 200
const tokenShape = /^[\w-]{43}$/
const idShape = /^[\da-f]{64}$/
const concurrentReads = 10

/** `expiresAt`, in seconds, is when DynamoDB may delete it, which takes up to days: so it is checked, too. */
type SessionItem = Omit<ListedSession, 'id'> & { user: string; expiresAt: number }

/** A session is one item, which requests find by the hash of the token. The partition of its user lists it. */
export function dynamoSessions({ table, now }: { table: Table; now(): Date }): Sessions {
  const { db, name: TableName } = table
  const isEnded = ({ expiresAt }: SessionItem) => expiresAt * 1000 <= now().getTime()
  const read = async (id: string) => {
    const item = (await readItem(table, sessionKey(id))) as SessionItem | undefined
    return item === undefined || isEnded(item) ? undefined : item
  }
  const remove = (Key: ItemKey) => db.send(new DeleteCommand({ TableName, Key }))
  const idsOf = async (user: string) =>
    (await readItemsUnder(table, listKey(user, ''))).map(({ sk }) => String(sk).slice('SESSION#'.length))

  /** At most one write per day. The request of the session succeeds even if it fails. */
  async function recordUse(id: string, { seenDay, createdAt }: SessionItem): Promise<void> {
    const today = utcDay(now())
    if (seenDay >= today) return
    const use = new UpdateCommand({
      TableName,
      Key: sessionKey(id),
      UpdateExpression: 'SET seenDay = :today, expiresAt = :expiresAt',
      ConditionExpression: 'attribute_exists(pk)',
      ExpressionAttributeValues: { ':today': today, ':expiresAt': expiryOf(new Date(createdAt), now()) },
    })
    await tryWrite(db.send(use)).catch(() => false)
  }

  return {
    async begin(user, agent) {
      const token = randomBytes(32).toString('base64url')
      const id = hashOf(token)
      const [createdAt, endsAt] = [now(), new Date(now().getTime() + absoluteMs)]
      // The list is written first, so that it has every session, also one that a crash left without an item.
      await db.send(new PutCommand({ TableName, Item: { ...listKey(user, id), expiresAt: seconds(endsAt) } }))
      const facts = {
        user,
        createdAt: createdAt.toISOString(),
        seenDay: utcDay(createdAt),
        agent: agent.slice(0, maxAgentLength),
      }
      const Item = { ...sessionKey(id), ...facts, expiresAt: expiryOf(createdAt, createdAt) }
      await db.send(new PutCommand({ TableName, Item, ConditionExpression: 'attribute_not_exists(pk)' }))
      return { token, endsAt }
    },

    async find(token) {
      if (!tokenShape.test(token)) return undefined
      const id = hashOf(token)
      const item = await read(id)
      if (item === undefined) return undefined
      await recordUse(id, item)
      return { id, user: item.user }
    },

    async list(user) {
      const sessions: ListedSession[] = []
      for await (const [id, item] of mapOrdered(await idsOf(user), concurrentReads, read)) {
        if (item?.user === user) sessions.push({ id, createdAt: item.createdAt, seenDay: item.seenDay, agent: item.agent })
      }
      return sessions.sort((a, b) => (a.createdAt > b.createdAt ? -1 : 1))
    },

    async end(user, id) {
      const item = idShape.test(id) ? await read(id) : undefined
      if (item?.user !== user) return false
      await remove(sessionKey(id))
      await remove(listKey(user, id))
      return true
    },

    async endAll(user) {
      for (const id of await idsOf(user)) {
        await remove(sessionKey(id))
        await remove(listKey(user, id))
      }
    },

    async clear() {
      const filter = {
        FilterExpression: 'begins_with(pk, :session) OR begins_with(sk, :session)',
        ExpressionAttributeValues: { ':session': 'SESSION#' },
        ProjectionExpression: 'pk, sk',
      }
      for await (const { Items = [] } of paginateScan({ client: db }, { TableName, ConsistentRead: true, ...filter }))
        for (const { pk, sk } of Items) await remove({ pk, sk })
    },
  }
}

const sessionKey = (id: string): ItemKey => ({ pk: `SESSION#${id}`, sk: 'SESSION' })
const listKey = (user: string, id: string): ItemKey => ({ pk: userPart(user), sk: `SESSION#${id}` })

const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex')
const seconds = (time: Date): number => Math.floor(time.getTime() / 1000)

const expiryOf = (createdAt: Date, usedAt: Date): number =>
  seconds(new Date(Math.min(createdAt.getTime() + absoluteMs, usedAt.getTime() + idleMs)))
