import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { jsonLog } from '../../shared/logging/json-log.ts'
import { stageResources } from './stage-resources.ts'

export const now = () => new Date()
/** Synchronous, because Lambda may freeze a process as soon as it has responded. */
export const log = jsonLog({ sync: true })
const client = new DynamoDBClient({})
// The middleware copies every response for a log that is not written.
client.middlewareStack.remove('loggerMiddleware')
export const db = DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } })
export const table = () => ({ db, name: stageResources.Table.name })
