import { items, nameOf, under } from './grants.ts'
import { lambda } from './lambda.ts'
import { failedUsage, table } from './storage.ts'

const retentionHours = 7 * 24
/** Below the retention: a record that cannot be counted still lies on the stream when it is given up and sent to the bucket. */
const recordAgeSeconds = 6 * 24 * 3600

/** Usage events, on demand: there are no shards to size. */
export const usage = new sst.aws.KinesisStream('Usage', {
  transform: { stream: { retentionPeriod: retentionHours, encryptionType: 'KMS', kmsKeyId: 'alias/aws/kinesis' } },
})

export const applyUsage = lambda('ApplyUsage', {
  handler: 'functions/lambda/usage.handler',
  memory: '1024 MB',
  // Room for a table that is throttled for half a minute and a batch that then still has to be written.
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
      // The counters' checkpoints need the records of a shard one batch after the other.
      parallelizationFactor: 1,
      batchSize: 10_000,
      maximumBatchingWindowInSeconds: 5,
      maximumRetryAttempts: -1,
      maximumRecordAgeInSeconds: recordAgeSeconds,
      functionResponseTypes: ['ReportBatchItemFailures'],
      // Without it, nobody could tell that a record was given up.
      metricsConfig: { metrics: ['EventCount'] },
      destinationConfig: { onFailure: { destinationArn: failedUsage.arn } },
    },
  },
})
