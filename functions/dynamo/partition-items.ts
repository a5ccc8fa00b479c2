import { paginateQuery } from '@aws-sdk/lib-dynamodb'
import type { Table } from './table.ts'

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
