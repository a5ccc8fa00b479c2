import { randomBytes } from 'node:crypto'
import { CreateTableCommand, DescribeTableCommand, DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { AppError } from '../../shared/errors.ts'
import type { Log } from '../../shared/log.ts'
import type { Table } from '../dynamo/table.ts'
import { startDynalite } from './start-dynalite.ts'

export type LocalDynamo = {
  table: Table
  /** The failure of the tables, as a sentence. */
  failure(): AppError | undefined
  close(): Promise<void>
}

const tableName = 'carrel'

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
