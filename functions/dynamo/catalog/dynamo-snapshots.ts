import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb'
import { DeleteCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import pLimit from 'p-limit'
import type { Snapshots } from '../../catalog/hosted-catalog.ts'
import { readItem, readItemsUnder } from '../read-items.ts'
import { type Table, tryWrite } from '../table.ts'
import { update } from '../update.ts'

const pk = 'SNAPSHOT'
const state = { pk, sk: 'STATE' }
const objectPrefix = 'OBJECT#'
const changePrefix = 'CHANGE#'
/** A publisher that has not ended by then is considered dead. */
const turnMs = 120_000
/** Far longer than a reader keeps the name of a replaced object. */
const abandonedMs = 600_000
const writesAtOnce = 16

export function dynamoSnapshots({ table, now }: { table: Table; now(): Date }): Snapshots {
  const { db, name: TableName } = table
  const change = async (expression: string, condition: string | undefined, values: Record<string, unknown>) => {
    const command = new UpdateCommand({
      TableName,
      Key: state,
      UpdateExpression: expression,
      ConditionExpression: condition,
      ExpressionAttributeValues: values,
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
  const current = async () => {
    const item = await readItem(table, state)
    return item?.object === undefined ? undefined : String(item.object)
  }
  return {
    async change(key, revision) {
      const item = { pk, sk: `${changePrefix}${key}` }
      const at = now().getTime()
      const set = new Map([
        ['revision', revision],
        ['at', at],
      ])
      if (await update(table, item, { set, conditions: [{ name: 'revision', is: '<=', value: revision, orAbsent: true }] }))
        return
      // The note is of a record that was removed, or of a later revision. It must be different, so that it is not settled as it was.
      await update(table, item, { add: new Map([['revision', 1]]), set: new Map([['at', at]]), conditions: [] })
    },
    async changes() {
      const items = await readItemsUnder(table, { pk, sk: changePrefix })
      return items.map(({ sk, revision, at }) => ({
        key: String(sk).slice(changePrefix.length),
        revision: Number(revision),
        at: Number(at),
      }))
    },
    async settle(changes) {
      await pLimit(writesAtOnce).map(changes, ({ key, revision, at }) =>
        tryWrite(
          db.send(
            new DeleteCommand({
              TableName,
              Key: { pk, sk: `${changePrefix}${key}` },
              ConditionExpression: 'revision = :revision AND #at = :at',
              ExpressionAttributeNames: { '#at': 'at' },
              ExpressionAttributeValues: { ':revision': revision, ':at': at },
            }),
          ),
        ),
      )
    },
    current,
    wholeAt: async () => Number((await readItem(table, state))?.wholeAt ?? 0),
    async take(force) {
      const at = now().getTime()
      const isFree = 'attribute_not_exists(takenUntil) OR takenUntil < :now'
      const taken = await change('SET takenUntil = :until', force ? undefined : isFree, {
        ':until': at + turnMs,
        ...(force ? {} : { ':now': at }),
      })
      if (!taken) return undefined
      const { object, publishedAt = 0, wholeAt = 0, takenUntil } = taken
      return {
        ...(object !== undefined && { object: String(object) }),
        publishedAt: Number(publishedAt),
        wholeAt: Number(wholeAt),
        takenUntil: Number(takenUntil),
      }
    },
    async note(object) {
      const Item = { pk, sk: `${objectPrefix}${object}`, object, at: now().toISOString() }
      await db.send(new PutCommand({ TableName, Item }))
    },
    async publish(object, turn, isWhole) {
      const isSame = turn.object === undefined ? 'attribute_not_exists(#object)' : '#object = :before'
      const values = {
        ':object': object,
        ':at': now().getTime(),
        ...(turn.object !== undefined && { ':before': turn.object }),
      }
      const set = `SET #object = :object, publishedAt = :at${isWhole ? ', wholeAt = :at' : ''}`
      // The write may have succeeded although its response was lost.
      return (await change(set, isSame, values)) !== undefined || (await current()) === object
    },
    async release({ takenUntil }) {
      await change('REMOVE takenUntil', 'takenUntil = :until', { ':until': takenUntil })
    },
    async abandoned() {
      const [items, served] = [await readItemsUnder(table, { pk, sk: objectPrefix }), await current()]
      const before = new Date(now().getTime() - abandonedMs).toISOString()
      return items.filter(({ object, at }) => object !== served && String(at) < before).map(({ object }) => String(object))
    },
    async forget(object) {
      await db.send(new DeleteCommand({ TableName, Key: { pk, sk: `${objectPrefix}${object}` } }))
    },
  }
}
