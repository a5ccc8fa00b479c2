import { DeleteCommand } from '@aws-sdk/lib-dynamodb'
import { partitionItems } from '../partition-items.ts'
import type { Table } from '../table.ts'

/** Deletes a partition of counters. Events that are still on the stream create it again. */
export async function forgetUsage(table: Table, pk: string): Promise<void> {
  for await (const { sk } of partitionItems(table, pk)) {
    await table.db.send(new DeleteCommand({ TableName: table.name, Key: { pk, sk } }))
  }
}
