import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { dynamoSalts } from '../../functions/dynamo/counters/dynamo-salts.ts'
import { sqliteSalts } from '../../shared/store/sqlite-salts.ts'
import { testDynamo } from '../fixtures/dynamo.ts'
import { tempDir } from '../fixtures/temp-dir.ts'
import { saltsContract } from './salts.ts'

function clock() {
  let time = new Date('2026-11-20T10:00:00Z')
  const at = (day: string, hour = '10:00') => {
    time = new Date(`${day}T${hour}:00Z`)
  }
  return { now: () => time, at }
}

saltsContract('SQLite', async () => {
  const path = join(tempDir(), 'salts.db')
  const { now, at } = clock()
  const open = () => {
    const salts = sqliteSalts(path, now)
    onTestFinished(() => salts.close())
    return salts
  }
  return { open, at }
})

saltsContract('DynamoDB', async () => {
  const table = (await testDynamo()).salts
  const { now, at } = clock()
  return { open: () => dynamoSalts({ table, now }), at }
})

test('a container uses an erased salt for at most five minutes, and keeps its salt while the table cannot be read', async () => {
  const { db, name } = (await testDynamo()).salts
  const { now, at } = clock()
  let isDown = false
  const send = (...command: unknown[]) =>
    isDown ? Promise.reject(new Error('down')) : (db.send as (...all: unknown[]) => Promise<unknown>)(...command)
  const down = { name, db: new Proxy(db, { get: (target, key) => (key === 'send' ? send : Reflect.get(target, key)) }) }
  const container = dynamoSalts({ table: down, now })
  const salt = await container.saltOf('2026-11-20')
  isDown = true
  at('2026-11-20', '10:06')
  expect(await container.saltOf('2026-11-20')).toEqual(salt)
  isDown = false
  await dynamoSalts({ table: { db, name }, now }).erase()
  at('2026-11-20', '10:11')
  const renewed = await container.saltOf('2026-11-20')
  expect(renewed).not.toEqual(salt)
  expect(await dynamoSalts({ table: { db, name }, now }).saltOf('2026-11-20')).toEqual(renewed)
})
