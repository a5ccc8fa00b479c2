import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb'
import { type DynamoDBDocumentClient, paginateQuery } from '@aws-sdk/lib-dynamodb'

/** A DynamoDB table with the string keys `pk` and `sk` (the table of salts has only `pk`) and the TTL attribute `expiresAt`, in seconds. */
export type Table = { db: DynamoDBDocumentClient; name: string }

/** False if the condition of a write failed. */
export async function tryWrite(write: Promise<unknown>): Promise<boolean> {
  try {
    await write
    return true
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false
    throw error
  }
}

/** Every item of a partition, in the order of the sort keys, read page by page. */
export async function* partitionItems({ db, name }: Table, pk: string): AsyncGenerator<Record<string, unknown>> {
  const query = {
    TableName: name,
    ConsistentRead: true,
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': pk },
  }
  for await (const { Items = [] } of paginateQuery({ client: db }, query)) yield* Items
}

/** All items of a small partition. */
export async function allItems(table: Table, pk: string): Promise<Record<string, unknown>[]> {
  const items: Record<string, unknown>[] = []
  for await (const item of partitionItems(table, pk)) items.push(item)
  return items
}
