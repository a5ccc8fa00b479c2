import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'

/** A DynamoDB table with the string keys `pk` and `sk` (the table of salts has only `pk`) and the TTL attribute `expiresAt`, in seconds. */
export type Table = { db: DynamoDBDocumentClient; name: string }
