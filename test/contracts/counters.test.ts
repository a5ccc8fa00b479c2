import { test } from 'vitest'
import { dynamoCounters } from '../../functions/adapters/dynamo-counters.ts'
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

const missing = dynamoLocalMissing()
if (missing) test.skip(`counters in DynamoDB Local: not tried, since ${missing}`, () => undefined)
else countersContract('DynamoDB Local', on(openDynamoLocal))
