import { BatchGetCommand, GetCommand, paginateQuery } from '@aws-sdk/lib-dynamodb'
import type { Table } from './table.ts'

export type ItemKey = { pk: string; sk: string }

const maxBatchRounds = 8
const maxKeys = 100

/** A consistent read of one item. Undefined if there is none. */
export async function readItem({ db, name }: Table, key: ItemKey): Promise<Record<string, unknown> | undefined> {
  return (await db.send(new GetCommand({ TableName: name, Key: key, ConsistentRead: true }))).Item
}

/** Items by their `sk`. */
export async function readItems(
  table: Table,
  keys: ItemKey[],
  consistent: boolean,
): Promise<Map<string, Record<string, unknown>>> {
  return new Map((await readItemsOf(table, keys, consistent)).map((item) => [String(item.sk), item]))
}

/** The items that exist, of any partitions, in no order. */
export async function readItemsOf({ db, name }: Table, keys: ItemKey[], consistent: boolean): Promise<Record<string, unknown>[]> {
  const items: Record<string, unknown>[] = []
  for (let rest: Record<string, unknown>[] = keys, round = 0; rest.length > 0; round++) {
    if (round >= maxBatchRounds + keys.length / maxKeys) throw new Error('DynamoDB did not read all keys of a batch. Try again.')
    const request = { [name]: { Keys: rest.slice(0, maxKeys), ConsistentRead: consistent } }
    const { Responses, UnprocessedKeys } = await db.send(new BatchGetCommand({ RequestItems: request }))
    items.push(...(Responses?.[name] ?? []))
    rest = [...(UnprocessedKeys?.[name]?.Keys ?? []), ...rest.slice(maxKeys)]
  }
  return items
}

/** Every item of a partition whose sort key begins with `sk`, in order. */
export async function readItemsUnder({ db, name }: Table, { pk, sk }: ItemKey): Promise<Record<string, unknown>[]> {
  const items: Record<string, unknown>[] = []
  const query = {
    TableName: name,
    ConsistentRead: true,
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :sk)',
    ExpressionAttributeValues: { ':pk': pk, ':sk': sk },
  }
  for await (const page of paginateQuery({ client: db }, query)) items.push(...(page.Items ?? []))
  return items
}
