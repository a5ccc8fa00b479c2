import { randomBytes } from 'node:crypto'
import { PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { AppError } from '../../../shared/errors.ts'
import { excerpt } from '../../../shared/text/excerpt.ts'
import type { StoredRequest, TakedownRequests } from '../../takedown/takedown-requests.ts'
import { type ItemKey, readItem } from '../read-items.ts'
import { allItems, type Table, tryWrite } from '../table.ts'

const keptMs = 365 * 86_400_000
const idShape = /^[\w:.-]{1,60}$/

/** Their ids begin with their time, so that the partition is in their order. */
export function dynamoTakedowns({ table, now }: { table: Table; now(): Date }): TakedownRequests {
  const { db, name: TableName } = table
  return {
    async add({ library, reason, contact }) {
      const at = now().toISOString()
      const id = `${at}-${randomBytes(6).toString('hex')}`
      const expiresAt = Math.ceil((now().getTime() + keptMs) / 1000)
      await db.send(
        new PutCommand({ TableName, Item: { ...keyOf(id), id, at, library, reason, contact, state: 'open', expiresAt } }),
      )
      return id
    },
    list: async () => ((await allItems(table, part)) as StoredRequest[]).map(asRequest),
    async get(id) {
      const item = idShape.test(id) ? await readItem(table, keyOf(id)) : undefined
      if (item === undefined) throw missing(id)
      return asRequest(item as StoredRequest)
    },
    async decide(id, state) {
      const decide = new UpdateCommand({
        TableName,
        Key: keyOf(id),
        UpdateExpression: 'SET #state = :state, decidedAt = :now',
        ConditionExpression: 'attribute_exists(pk)',
        ExpressionAttributeNames: { '#state': 'state' },
        ExpressionAttributeValues: { ':state': state, ':now': now().toISOString() },
      })
      if (!idShape.test(id) || !(await tryWrite(db.send(decide)))) throw missing(id)
    },
  }
}

const part = 'TAKEDOWNS'
const keyOf = (id: string): ItemKey => ({ pk: part, sk: id })
const missing = (id: string) => new AppError('not_found', `There is no takedown request "${excerpt(id)}".`)

const asRequest = ({ id, at, library, reason, contact, state, decidedAt }: StoredRequest): StoredRequest => ({
  id,
  at,
  library,
  reason,
  contact,
  state,
  ...(decidedAt !== undefined && { decidedAt }),
})
