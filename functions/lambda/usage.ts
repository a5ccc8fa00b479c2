import middy from '@middy/core'
import type { KinesisStreamBatchResponse, KinesisStreamEvent } from 'aws-lambda'
import { withMetrics } from '../aws/observed.ts'
import { awsUsage } from '../aws/usage-ports.ts'
import { usageHandler } from '../counting/usage-handler.ts'

const records = withMetrics(({ Records }: KinesisStreamEvent, { batchItemFailures }: KinesisStreamBatchResponse) => ({
  UsageRecords: Records.length,
  UsageBatchesFailed: batchItemFailures.length,
}))

/** Counts what arrives on the stream. */
export const handler = middy<KinesisStreamEvent>().use(records).handler(usageHandler(awsUsage()))
