import { AsyncLocalStorage } from 'node:async_hooks'
import type { IncomingMessage } from 'node:http'
import { S3Client } from '@aws-sdk/client-s3'
import type { Door } from '../fixtures/door.ts'

/** A request to AWS, with the role that made it, undefined for an operator, and its resource as in `may-do.ts`. */
export type Call = { role: string | undefined; action: string; resource: string }

type Send = (this: { config: unknown }, command: Command, ...rest: unknown[]) => Promise<unknown>
type Command = { constructor: { name: string }; input: Record<string, unknown> }

/**
 * Records the requests of every client of the AWS SDK, and those of LanceDB, which has its own client: they pass through the door to
 * S3. LanceDB does not carry the role along, so work of two roles must not run at the same time.
 */
export function recordCalls(s3: Door): { calls: Call[]; as<T>(role: string, work: () => Promise<T>): Promise<T> } {
  const calls: Call[] = []
  const playing = new AsyncLocalStorage<string>()
  let acting: string | undefined
  const clients: { send: Send } = Object.getPrototypeOf(S3Client.prototype)
  const { send } = clients
  clients.send = async function (command, ...rest) {
    const role = playing.getStore()
    for (const call of callsOf(command)) calls.push({ role, ...call })
    try {
      return await send.call(this, command, ...rest)
    } catch (error) {
      // Without s3:ListBucket, S3 returns 403 for a missing object.
      if (command.input.Bucket !== undefined && (error as Error).name === 'NoSuchKey')
        calls.push({ role, action: 's3:ListBucket', resource: bucketOf(command.input.Bucket) })
      throw error
    }
  }
  s3.heard = (request, status) => {
    if (String(request.headers['user-agent']).startsWith('aws-sdk')) return
    for (const call of s3CallsOf(request, status)) calls.push({ role: acting, ...call })
  }
  return {
    calls,
    as: (role, work) =>
      playing.run(role, async () => {
        acting = role
        try {
          return await work()
        } finally {
          acting = undefined
        }
      }),
  }
}

type Named = Omit<Call, 'role'>

function callsOf(command: Command): Named[] {
  const { input } = command
  const name = command.constructor.name.replace(/Command$/, '')
  const tables = itemsOf(input)
  if (tables.length > 0) return tables.map((resource) => ({ action: dynamoAction(name), resource }))
  if (input.Bucket !== undefined) return [{ action: s3Action(name), resource: objectOf(input.Bucket, input.Key) }]
  if (input.QueueUrl !== undefined) return [{ action: `sqs:${name}`, resource: 'Jobs' }]
  if (input.StreamName !== undefined) return [{ action: `kinesis:${name}`, resource: 'Usage' }]
  if (input.EncryptionContext !== undefined) return [{ action: `kms:${name}`, resource: 'key TokenKey' }]
  if (input.FunctionName !== undefined) return [{ action: 'lambda:InvokeFunction', resource: functionOf(input.FunctionName) }]
  if (input.taskDefinition !== undefined) return [{ action: `ecs:${name}`, resource: 'task Worker' }]
  if (input.FromEmailAddress !== undefined) return [{ action: `ses:${name}`, resource: `identity ${input.FromEmailAddress}` }]
  throw new Error(`The test does not know the resource of ${name}.`)
}

/** Partitions of tables that a command names, as `Table CATALOG#1`. */
function itemsOf(input: Record<string, unknown>): string[] {
  const {
    TableName,
    Key,
    Item,
    ExpressionAttributeValues: values,
    RequestItems = {},
  } = input as Record<string, Keyed> & {
    RequestItems?: Record<string, { Keys: Keyed[] }>
  }
  const batches = Object.entries(RequestItems).flatMap(([table, { Keys }]) => Keys.map(({ pk }) => [table, pk] as const))
  const one = TableName === undefined ? [] : [[String(TableName), Key?.pk ?? Item?.pk ?? values?.[':pk']] as const]
  return [...batches, ...one].map(([table, pk]) => `${table === 'salts' ? 'Salts' : 'Table'} ${textOf(pk)}`)
}

type Keyed = { pk?: unknown; ':pk'?: unknown }

const textOf = (pk: unknown): string => (typeof pk === 'object' && pk !== null && 'S' in pk ? String(pk.S) : String(pk ?? ''))

/** `GetCommand` of the document client is `dynamodb:GetItem`. */
const dynamoAction = (name: string): string => `dynamodb:${name.replace(/^(Get|BatchGet|Put|Update|Delete)(Item)?$/, '$1Item')}`

const s3Actions: Record<string, string> = {
  HeadObject: 'GetObject',
  ListObjectsV2: 'ListBucket',
  CreateMultipartUpload: 'PutObject',
  UploadPart: 'PutObject',
  CompleteMultipartUpload: 'PutObject',
}
const s3Action = (name: string): string => `s3:${s3Actions[name] ?? name}`

/** The test stage names its function in small letters. */
const functionOf = (name: unknown): string => `function ${String(name).replace(/^./, (first) => first.toUpperCase())}`

const bucketOf = (name: unknown): string => ({ content: 'ContentBucket', exports: 'ExportsBucket' })[String(name)] ?? String(name)
const objectOf = (bucket: unknown, key: unknown): string => bucketOf(bucket) + (key === undefined ? '' : `/${key}`)

/** Requests with the bucket in their path. */
function s3CallsOf({ method = '', url = '' }: IncomingMessage, status: number): Named[] {
  const { pathname, searchParams } = new URL(url, 'http://s3')
  const [bucket, ...key] = pathname.slice(1).split('/').map(decodeURIComponent)
  const resource = objectOf(bucket, key.join('/') || undefined)
  const listing = { action: 's3:ListBucket', resource: bucketOf(bucket) }
  if (key.join('') === '') return [searchParams.has('delete') ? { action: 's3:DeleteObject', resource: `${resource}/` } : listing]
  const isRead = method === 'GET' || method === 'HEAD'
  if (isRead) return [{ action: 's3:GetObject', resource }, ...(status === 404 ? [listing] : [])]
  if (method === 'DELETE')
    return [{ action: searchParams.has('uploadId') ? 's3:AbortMultipartUpload' : 's3:DeleteObject', resource }]
  return [{ action: 's3:PutObject', resource }]
}
