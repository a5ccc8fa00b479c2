import { randomBytes } from 'node:crypto'
import { CreateTableCommand, DescribeTableCommand, DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { AppError } from '../../shared/errors.ts'
import type { Log } from '../../shared/log.ts'
import { startThread } from '../../shared/system/start-thread.ts'
import type { Table } from '../dynamo/table.ts'
import type { DynaliteThread } from './dynalite-thread.ts'

export type LocalDynamo = {
  table: Table
  /** The failure of the tables, as a sentence. */
  failure(): AppError | undefined
  close(): Promise<void>
}

const tableName = 'carrel'
const maxCloseMs = 10_000

/**
 * DynamoDB emulated by dynalite on a folder, which belongs to one process. It listens on a free port of this machine and serves only
 * requests that are signed with the access key of this start. Throws an AppError with one sentence if the folder cannot be opened.
 */
export async function dynamoFolder(path: string, log?: Log): Promise<LocalDynamo> {
  const accessKeyId = randomBytes(16).toString('hex')
  const dynalite = await startDynalite({ path, accessKeyId, log }).catch((error: unknown) => {
    throw unreadable(path, error)
  })
  const client = new DynamoDBClient({
    endpoint: dynalite.url,
    region: 'local',
    credentials: { accessKeyId, secretAccessKey: 'local' },
  })
  // The middleware copies every response for a log that is not written.
  client.middlewareStack.remove('loggerMiddleware')
  const close = async () => {
    client.destroy()
    await dynalite.close()
  }
  const failure = () => {
    const error = dynalite.failure()
    return error === undefined ? undefined : unreadable(path, error)
  }
  try {
    await makeTable(client)
  } catch (error) {
    await close()
    throw failure() ?? unreadable(path, error)
  }
  const db = DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } })
  return { table: { db, name: tableName }, failure, close }
}

type Dynalite = {
  readonly url: string
  /** The error that has ended its thread. */
  failure(): unknown
  close(): Promise<void>
}

type StartOptions = DynaliteThread & { log: Pick<Log, 'error'> | undefined }

/** Runs dynalite in a thread until `close`, or until it fails, as on a full disk. Throws the error if it cannot open its folder. */
async function startDynalite({ log, ...data }: StartOptions): Promise<Dynalite> {
  const worker = startThread(new URL('./dynalite-thread.ts', import.meta.url), { data })
  let failure: unknown
  let isOpen = false
  worker.on('error', (error) => {
    failure = error
    if (isOpen) log?.error({ error }, 'the tables failed; restart the server')
  })
  const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
  const port = await Promise.race([
    new Promise<number>((resolve) => worker.once('message', resolve)),
    ended.then(() => Promise.reject(failure ?? new Error('The thread of the tables ended.'))),
  ])
  isOpen = true
  return {
    url: `http://127.0.0.1:${port}`,
    failure: () => failure,
    async close() {
      worker.postMessage('end')
      const late = setTimeout(() => void worker.terminate(), maxCloseMs)
      await ended
      clearTimeout(late)
    },
  }
}

async function makeTable(client: DynamoDBClient): Promise<void> {
  const { TableNames = [] } = await client.send(new ListTablesCommand({}))
  if (TableNames.includes(tableName)) return
  await client.send(
    new CreateTableCommand({
      TableName: tableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: ['pk', 'sk'].map((key) => ({ AttributeName: key, AttributeType: 'S' })),
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
    }),
  )
  const describe = new DescribeTableCommand({ TableName: tableName })
  while ((await client.send(describe)).Table?.TableStatus !== 'ACTIVE');
}

function unreadable(path: string, error: unknown): AppError {
  const reason = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const message = reason instanceof Error ? reason.message : String(reason)
  const advice = /corrupt/i.test(message) ? ' Restore the whole data directory from a backup.' : ''
  return new AppError('cannot_start', `The tables in ${path} cannot be opened: ${message}.${advice}`, { cause: error })
}
