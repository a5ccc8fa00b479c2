import { GetCommand, ScanCommand } from '@aws-sdk/lib-dynamodb'
import { beforeEach, expect, test } from 'vitest'
import { dynamoSalts } from '../../../../functions/dynamo/counters/dynamo-salts.ts'
import type { Table } from '../../../../functions/dynamo/table.ts'
import { testDynamo } from '../../../fixtures/dynamo.ts'

let table: Table
let time: Date

beforeEach(async () => {
  table = (await testDynamo()).salts
  time = new Date('2026-11-20T10:00:00Z')
})

const container = () => dynamoSalts({ table, now: () => time })
const at = (day: string) => {
  time = new Date(`${day}T10:00:00Z`)
}
const days = async () =>
  ((await table.db.send(new ScanCommand({ TableName: table.name }))).Items ?? []).map(({ pk }) => pk).toSorted()

test('the salt of a day is 32 random bytes, the same for all containers that start at the same time', async () => {
  const salts = await Promise.all(Array.from({ length: 8 }, () => container().saltOf('2026-11-20')))
  expect(salts[0]).toHaveLength(32)
  expect(new Set(salts.map((salt) => Buffer.from(salt).toString('hex'))).size).toBe(1)
  expect(await container().saltOf('2026-11-21')).not.toEqual(salts[0])
})

test('a container reads the table once a day', async () => {
  const asked: string[] = []
  const { db } = table
  const counting = new Proxy(db, {
    get: (target, key) => {
      if (key !== 'send') return Reflect.get(target, key)
      return (command: { constructor: { name: string } }, options: never) => {
        asked.push(command.constructor.name)
        return target.send(command as never, options)
      }
    },
  })
  const salts = dynamoSalts({ table: { ...table, db: counting }, now: () => time })
  await Promise.all([salts.saltOf('2026-11-20'), salts.saltOf('2026-11-20')])
  await salts.saltOf('2026-11-20')
  expect(asked).toEqual(['GetCommand', 'PutCommand'])
})

test('the salt of the next day is created once, in advance', async () => {
  await container().makeAhead()
  expect(await days()).toEqual(['2026-11-21'])
  const salt = await container().saltOf('2026-11-21')
  await container().makeAhead()
  expect(await container().saltOf('2026-11-21')).toEqual(salt)
})

test('a salt is deleted after two days: from the table, by its expiry, and from memory', async () => {
  const long = container()
  const salt = await long.saltOf('2026-11-20')
  const { Item } = await table.db.send(new GetCommand({ TableName: table.name, Key: { pk: '2026-11-20' } }))
  expect(new Date(Item?.expiresAt * 1000).toISOString()).toBe('2026-11-22T00:00:00.000Z')

  at('2026-11-21')
  await long.saltOf('2026-11-21')
  await long.makeAhead()
  await long.forgetOld()
  expect(await days()).toEqual(['2026-11-20', '2026-11-21', '2026-11-22'])
  expect(await long.saltOf('2026-11-20')).toEqual(salt)

  at('2026-11-22')
  await long.forgetOld()
  expect(await days()).toEqual(['2026-11-21', '2026-11-22'])
  expect(await long.saltOf('2026-11-20')).not.toEqual(salt)
})

test('a salt that could not be read is requested again', async () => {
  const { db } = table
  let down = true
  const flaky = new Proxy(db, {
    get: (target, key) => {
      if (key !== 'send') return Reflect.get(target, key)
      return (command: never, options: never) => (down ? Promise.reject(new Error('down')) : target.send(command, options))
    },
  })
  const salts = dynamoSalts({ table: { ...table, db: flaky }, now: () => time })
  await expect(salts.saltOf('2026-11-20')).rejects.toThrow('down')
  down = false
  expect(await salts.saltOf('2026-11-20')).toEqual(await container().saltOf('2026-11-20'))
})
