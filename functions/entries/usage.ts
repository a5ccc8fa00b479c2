import middy from '@middy/core'
import type { KinesisStreamBatchResponse, KinesisStreamEvent } from 'aws-lambda'
import { usagePorts } from '../aws/usage-ports.ts'
import { withMetrics } from '../aws/with-metrics.ts'
import { usageHandler } from '../counting/usage-handler.ts'

const records = withMetrics(({ Records }: KinesisStreamEvent, answer?: KinesisStreamBatchResponse) => ({
  UsageRecords: Records.length,
  UsageBatchesFailed: answer?.batchItemFailures.length ?? 1,
}))

/** Counts the events on the stream. */
export const handler = middy<KinesisStreamEvent>().use(records).handler(usageHandler(usagePorts()))
