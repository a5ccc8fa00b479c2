import { test } from 'vitest'
import { openTestDynamo } from '../fixtures/dynamo.ts'
import { dynamoLocalMissing, openDynamoLocal } from '../fixtures/dynamo-local.ts'
import { hostedCatalogContract } from './hosted-catalog.ts'

hostedCatalogContract('dynalite', openTestDynamo)

const missing = dynamoLocalMissing()
if (missing) test.skip(`the catalog in DynamoDB Local: not tried, since ${missing}`, () => undefined)
else hostedCatalogContract('DynamoDB Local', openDynamoLocal)
