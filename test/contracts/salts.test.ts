import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { dynamoSalts } from '../../functions/dynamo/counters/dynamo-salts.ts'
import { sqliteSalts } from '../../shared/store/sqlite-salts.ts'
import { testDynamo } from '../fixtures/dynamo.ts'
import { tempDir } from '../fixtures/temp-dir.ts'
import { saltsContract } from './salts.ts'

function clock() {
  let time = new Date('2026-11-20T10:00:00Z')
  const at = (day: string) => {
    time = new Date(`${day}T10:00:00Z`)
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
