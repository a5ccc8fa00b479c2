import { UpdateCommand } from '@aws-sdk/lib-dynamodb'
import type { RequestCounts } from '../access/request-counts.ts'
import { readItem } from './read-items.ts'
import type { Table } from './table.ts'

/** A question does not wait longer for being counted. */
const timeoutMs = 500
/** Time that an item is kept after its window, because the clocks of containers differ. */
const keptMs = 3_600_000

/** An item per subject and window, which DynamoDB deletes. Counting a request is one write unit. */
export const dynamoRequestCounts = ({ db, name }: Table): RequestCounts => ({
  async add({ subject, window, endsAt }, requests) {
    const command = new UpdateCommand({
      TableName: name,
      Key: { pk: `LIMIT#${subject}`, sk: window },
      UpdateExpression: 'ADD #count :requests SET expiresAt = :expiresAt',
      ExpressionAttributeNames: { '#count': 'count' },
      ExpressionAttributeValues: { ':requests': requests, ':expiresAt': Math.ceil((endsAt.getTime() + keptMs) / 1000) },
      ReturnValues: 'UPDATED_NEW',
    })
    const { Attributes } = await db.send(command, { abortSignal: AbortSignal.timeout(timeoutMs) })
    return Number(Attributes?.count)
  },
  async count({ subject, window }) {
    const item = await readItem({ db, name }, { pk: `LIMIT#${subject}`, sk: window })
    return Math.max(0, Number(item?.count ?? 0))
  },
})
