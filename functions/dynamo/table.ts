import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'

/** A DynamoDB table with the string keys `pk` and `sk` (the table of salts: `pk` alone) and the TTL attribute `expiresAt`, in seconds. */
export type Table = { db: DynamoDBDocumentClient; name: string }
