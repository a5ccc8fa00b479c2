import { DeleteCommand, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb'
import type { DueCheck, LibraryCheck, LibraryChecks, Plan } from '../../freshness/library-checks.ts'
import { type ItemKey, readItem, readItems } from '../read-items.ts'
import type { Table } from '../table.ts'
import { type Condition, update } from '../update.ts'

/**
 * An item per library, and one per planned check in a partition that is sorted by time. The second is written first and deleted last, so that a
 * crash leaves at most one that is no longer valid: the time in the item of the library decides.
 */
export function dynamoChecks(table: Table): LibraryChecks {
  const { db, name: TableName } = table
  const put = (due: DueCheck | undefined) => due && db.send(new PutCommand({ TableName, Item: { ...dueKey(due), ...due } }))
  const drop = (due: DueCheck | undefined) => due && db.send(new DeleteCommand({ TableName, Key: dueKey(due) }))
  const change = async (key: string, facts: Facts, conditions: Condition[] = []) => {
    const set = new Map(Object.entries(facts).filter(([, value]) => value !== undefined))
    const remove = Object.entries(facts).flatMap(([name, value]) => (value === undefined ? [name] : []))
    const item = await update(table, checkKey(key), { set, remove, conditions })
    return item && asCheck(item)
  }
  return {
    async find(key) {
      const item = await readItem(table, checkKey(key))
      return item && asCheck(item)
    },
    async findAll(keys) {
      const items = await readItems(table, keys.map(checkKey), true)
      return new Map(Array.from(items, ([key, item]) => [key, asCheck(item)]))
    },
    async due(now, limit) {
      const query = new QueryCommand({
        TableName,
        Limit: limit,
        KeyConditionExpression: 'pk = :pk AND sk <= :now',
        ExpressionAttributeValues: { ':pk': duePart, ':now': `${now.toISOString()}~` },
      })
      const { Items = [] } = await db.send(query)
      return Items.map(({ key, dueAt }) => ({ key: String(key), dueAt: String(dueAt) }))
    },
    async plan(key, { schedule, dueAt }) {
      await put(dueOf(key, dueAt))
      await change(key, { schedule, dueAt: dueAt?.toISOString() })
    },
    async take(due, until) {
      const next = dueOf(due.key, until)
      await put(next)
      const taken = await change(due.key, { dueAt: next?.dueAt }, isAt(due.dueAt))
      const { dueAt } = taken ?? (await this.find(due.key)) ?? {}
      for (const each of [due, next]) if (each?.dueAt !== dueAt) await drop(each)
      return taken
    },
    async record({ key, dueAt: takenAt = '' }, { dueAt, ...facts }) {
      const { schedule, ...result } = { schedule: undefined, outcome: undefined, error: undefined, ...facts }
      await put(dueOf(key, dueAt))
      const isPlanned = await change(key, { ...result, schedule, dueAt: dueAt?.toISOString() }, isAt(takenAt))
      if (!isPlanned) await change(key, result)
      await drop({ key, dueAt: takenAt })
    },
    async forget(due) {
      await db.send(new DeleteCommand({ TableName, Key: checkKey(due.key) }))
      await drop(due)
    },
  }
}

type Facts = Partial<Record<keyof LibraryCheck, unknown>>

const duePart = 'DUECHECKS'
const dueKey = ({ key, dueAt }: DueCheck): ItemKey => ({ pk: duePart, sk: `${dueAt}#${key}` })
const checkKey = (key: string): ItemKey => ({ pk: `CHECK#${key}`, sk: key })
const dueOf = (key: string, dueAt: Plan['dueAt']): DueCheck | undefined => dueAt && { key, dueAt: dueAt.toISOString() }
const isAt = (dueAt: string): Condition[] => [{ name: 'dueAt', is: '=', value: dueAt }]

const asCheck = ({ pk: _, sk, ...item }: Record<string, unknown>): LibraryCheck => ({ failures: 0, ...item, key: String(sk) })
