import { items, nameOf, under } from './grants.ts'
import { lambda } from './lambda.ts'
import { failedUsage, table } from './storage.ts'

const retentionHours = 7 * 24
/** The age is less than the retention: a record that cannot be counted is still on the stream when it is sent to the bucket. */
const recordAgeSeconds = 6 * 24 * 3600

/** Usage events, in on-demand mode without a fixed number of shards. */
export const usage = new sst.aws.KinesisStream('Usage', {
  transform: { stream: { retentionPeriod: retentionHours, encryptionType: 'KMS', kmsKeyId: 'alias/aws/kinesis' } },
})

export const applyUsage = lambda('ApplyUsage', {
  handler: 'functions/entries/usage.handler',
  memory: '1024 MB',
  // The time covers half a minute of throttling by the table and then the write of a batch.
  timeout: '2 minutes',
  link: [nameOf(table)],
  permissions: [
    under(['LIB#'], items(table, 'GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem')),
    {
      actions: [
        'kinesis:DescribeStream',
        'kinesis:DescribeStreamSummary',
        'kinesis:GetRecords',
        'kinesis:GetShardIterator',
        'kinesis:ListShards',
      ],
      resources: [usage.arn],
    },
    { actions: ['s3:PutObject'], resources: [$interpolate`${failedUsage.arn}/*`] },
    { actions: ['s3:ListBucket'], resources: [failedUsage.arn] },
  ],
})

export const subscription = usage.subscribe('Apply', applyUsage.arn, {
  transform: {
    eventSourceMapping: {
      startingPosition: 'TRIM_HORIZON',
      // The checkpoints of the counters require one batch after the other per shard.
      parallelizationFactor: 1,
      batchSize: 10_000,
      maximumBatchingWindowInSeconds: 5,
      maximumRetryAttempts: -1,
      maximumRecordAgeInSeconds: recordAgeSeconds,
      functionResponseTypes: ['ReportBatchItemFailures'],
      // No other metric shows that a record was dropped.
      metricsConfig: { metrics: ['EventCount'] },
      destinationConfig: { onFailure: { destinationArn: failedUsage.arn } },
    },
  },
})
