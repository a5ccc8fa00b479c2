import { getRandomValues } from 'node:crypto'
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb'
import { DeleteCommand, GetCommand, PutCommand, paginateScan } from '@aws-sdk/lib-dynamodb'
import { utcDay } from '../../../shared/time/utc-day.ts'
import type { Salts } from '../../../shared/usage/salts.ts'
import type { Table } from '../table.ts'

/** A request that is frozen in the middle must not leave its container waiting for it for ever. */
const timeoutMs = 2000

/** A container may use an erased salt this long. */
const cachedMs = 5 * 60_000

/** Salts in a separate table: `pk` is the day. Each container caches those of the last two days. */
export function dynamoSalts({ table: { db, name }, now }: { table: Table; now(): Date }): Salts {
  const saltsByDay = new Map<string, { salt: Promise<Uint8Array>; readAtMs: number }>()

  async function stored(day: string): Promise<Uint8Array | undefined> {
    const get = new GetCommand({ TableName: name, Key: { pk: day }, ConsistentRead: true })
    const { Item } = await db.send(get, { abortSignal: AbortSignal.timeout(timeoutMs) })
    return Item?.salt
  }

  /** Makes the salt of the day. Undefined if another container was first; its salt is used. */
  async function make(day: string): Promise<Uint8Array | undefined> {
    const salt = getRandomValues(new Uint8Array(32))
    const expiresAt = Date.parse(utcDay(day, 2)) / 1000
    const put = new PutCommand({
      TableName: name,
      Item: { pk: day, salt, expiresAt },
      ConditionExpression: 'attribute_not_exists(pk)',
    })
    try {
      await db.send(put, { abortSignal: AbortSignal.timeout(timeoutMs) })
      return salt
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return undefined
      throw error
    }
  }

  async function fetched(day: string): Promise<Uint8Array> {
    const salt = (await stored(day)) ?? (await make(day)) ?? (await stored(day))
    if (salt === undefined) throw new Error('The salt of the day is missing.')
    return salt
  }

  async function deleteBefore(oldest: string): Promise<void> {
    for await (const { Items } of paginateScan({ client: db }, { TableName: name, ProjectionExpression: 'pk' })) {
      for (const { pk } of Items ?? []) {
        if (pk < oldest) await db.send(new DeleteCommand({ TableName: name, Key: { pk } }))
      }
    }
  }

  function forgetInMemory(): void {
    const oldest = utcDay(now(), -1)
    for (const day of saltsByDay.keys()) if (day < oldest) saltsByDay.delete(day)
  }

  return {
    saltOf(day) {
      const before = saltsByDay.get(day)
      const readAtMs = now().getTime()
      if (before !== undefined && readAtMs - before.readAtMs < cachedMs) return before.salt
      forgetInMemory()
      const salt = before === undefined ? fetched(day) : fetched(day).catch(() => before.salt)
      saltsByDay.set(day, { salt, readAtMs })
      salt.catch(() => saltsByDay.delete(day))
      return salt
    },
    async makeAhead() {
      await make(utcDay(now(), 1))
    },
    async forgetOld() {
      forgetInMemory()
      await deleteBefore(utcDay(now(), -1))
    },
    async erase() {
      saltsByDay.clear()
      await deleteBefore(utcDay(now(), 1))
    },
  }
}
