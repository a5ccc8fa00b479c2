import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { Resource } from 'sst'
import { jsonLog } from '../../shared/logging/json-log.ts'
import { clientOptions } from './client-options.ts'
import { traced } from './tracer.ts'

/** The resources of the stage, from SST. Reading a resource that is not linked to the function throws. */
type StageResources = {
  Table: { name: string }
  Salts: { name: string }
  Content: { name: string }
  Exports: { name: string }
  Usage: { name: string }
  Jobs: { url: string }
  Bundle: { name: string }
  OriginSecret: { value: string }
  LicenseKey: { value: string }
  BundleKey: { value: string }
  /** Those that the operator has set, by the names of hosts. */
  GitTokens: Partial<Record<string, string>>
  TokenKey: { arn: string }
  /** The issuer of the dashboard, and the addresses of the dashboard and of the API. */
  SignIn: { issuer: string; clientId: string; clientSecret: string; url: string; serviceUrl: string }
}

export const stageResources = Resource as unknown as StageResources

export const now = () => new Date()
/** Synchronous, because Lambda may freeze a process as soon as it has responded. */
export const log = jsonLog({ sync: true })
const client = traced(new DynamoDBClient(clientOptions()))
// The middleware copies every response for a log that is not written.
client.middlewareStack.remove('loggerMiddleware')
export const db = DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } })
export const table = () => ({ db, name: stageResources.Table.name })
