import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb'
import { DeleteCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import type { Snapshots } from '../../catalog/hosted-catalog.ts'
import { readItem } from '../read-items.ts'
import { allItems, type Table } from '../table.ts'

const pk = 'SNAPSHOT'
const state = { pk, sk: 'STATE' }
const prefix = 'OBJECT#'
/** A publisher that has not ended by then is considered dead. */
const turnMs = 120_000
/** Far longer than a reader keeps the name of a replaced object. */
const abandonedMs = 600_000

export function dynamoSnapshots({ table, now }: { table: Table; now(): Date }): Snapshots {
  const { db, name: TableName } = table
  const isDirty = 'attribute_exists(changes) AND (attribute_not_exists(published) OR published < changes)'
  const change = async (expression: string, condition: string | undefined, values?: Record<string, unknown>) => {
    const command = new UpdateCommand({
      TableName,
      Key: state,
      UpdateExpression: expression,
      ConditionExpression: condition,
      ...(values ? { ExpressionAttributeValues: values } : {}),
      // A reserved word of DynamoDB.
      ...(expression.includes('#object') ? { ExpressionAttributeNames: { '#object': 'object' } } : {}),
      ReturnValues: 'ALL_NEW',
    })
    try {
      return (await db.send(command)).Attributes ?? {}
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return undefined
      throw error
    }
  }
  return {
    async changed() {
      await change('ADD changes :one', undefined, { ':one': 1 })
    },
    async current() {
      const item = await readItem(table, state)
      return item?.object === undefined ? undefined : String(item.object)
    },
    async take(force) {
      const at = now().getTime()
      const isFree = '(attribute_not_exists(takenUntil) OR takenUntil < :now)'
      const values = { ':until': at + turnMs, ...(force ? {} : { ':now': at }) }
      const taken = await change('SET takenUntil = :until', force ? isDirty : `${isDirty} AND ${isFree}`, values)
      return taken && Number(taken.changes)
    },
    async note(object) {
      const Item = { pk, sk: `${prefix}${object}`, object, at: now().toISOString() }
      await db.send(new PutCommand({ TableName, Item }))
    },
    async publish(object, changes) {
      const isNewer = 'attribute_not_exists(published) OR published < :changes'
      const values = { ':object': object, ':changes': changes }
      return (await change('SET #object = :object, published = :changes', isNewer, values)) !== undefined
    },
    async release() {
      return (await change('REMOVE takenUntil', `NOT (${isDirty})`)) !== undefined
    },
    async abandoned() {
      const items = await allItems(table, pk)
      const current = items.find(({ sk }) => sk === state.sk)?.object
      const before = new Date(now().getTime() - abandonedMs).toISOString()
      const old = items.filter(({ sk, object, at }) => sk !== state.sk && object !== current && String(at) < before)
      return old.map(({ object }) => String(object))
    },
    async forget(object) {
      await db.send(new DeleteCommand({ TableName, Key: { pk, sk: `${prefix}${object}` } }))
    },
  }
}
