import { api, exporter, gateway } from './api.ts'
import { bundle } from './bundle.ts'
import { deadJobs, jobs } from './jobs.ts'
import { schedule } from './schedule.ts'
import { startWorker } from './start-worker.ts'
import { salts, table } from './storage.ts'
import { applyUsage, subscription, usage } from './usage.ts'

/** The person on duty subscribes to this topic. */
export const topic = new sst.aws.SnsTopic('Alarms')

type Alarm = {
  namespace: string
  metricName: string
  dimensions: Record<string, $util.Input<string>>
  /** The alarm fires when the sum, or the maximum, of five minutes is higher. */
  above: number
  statistic?: 'Sum' | 'Maximum'
}

function alarm(name: string, { above, statistic = 'Sum', ...metric }: Alarm) {
  new aws.cloudwatch.MetricAlarm(name, {
    name: `${$app.name}-${$app.stage}-${name}`,
    ...metric,
    statistic,
    threshold: above,
    comparisonOperator: 'GreaterThanThreshold',
    period: 300,
    evaluationPeriods: 1,
    treatMissingData: 'notBreaching',
    alarmActions: [topic.arn],
    okActions: [topic.arn],
  })
}

const lambdas = {
  Api: api,
  Export: exporter,
  ApplyUsage: applyUsage,
  StartWorker: startWorker,
  Bundle: bundle,
  Schedule: schedule,
}
for (const [name, { name: FunctionName }] of Object.entries(lambdas))
  for (const metricName of ['Errors', 'Throttles'])
    alarm(`${name}${metricName}`, { namespace: 'AWS/Lambda', metricName, dimensions: { FunctionName }, above: 0 })

alarm('GatewayErrors', { namespace: 'AWS/ApiGateway', metricName: '5xx', dimensions: { ApiId: gateway.nodes.api.id }, above: 10 })

// An event is usually counted ten seconds after its request. At five minutes, a shard is stuck or the table is throttled.
alarm('UsageIteratorAge', {
  namespace: 'AWS/Lambda',
  metricName: 'IteratorAge',
  dimensions: { FunctionName: applyUsage.name },
  statistic: 'Maximum',
  above: 5 * 60 * 1000,
})
alarm('UsageGivenUp', {
  namespace: 'AWS/Lambda',
  metricName: 'OnFailureDestinationDeliveredEventCount',
  dimensions: { EventSourceMappingUUID: subscription.apply(({ nodes }) => nodes.eventSourceMapping.uuid) },
  above: 0,
})
alarm('UsageLost', {
  namespace: 'AWS/Lambda',
  metricName: 'DestinationDeliveryFailures',
  dimensions: { FunctionName: applyUsage.name },
  above: 0,
})
alarm('UsageThrottled', {
  namespace: 'AWS/Kinesis',
  metricName: 'WriteProvisionedThroughputExceeded',
  dimensions: { StreamName: usage.name },
  above: 0,
})

alarm('DeadJobsWaiting', {
  namespace: 'AWS/SQS',
  metricName: 'ApproximateNumberOfMessagesVisible',
  dimensions: { QueueName: deadJobs.nodes.queue.name },
  statistic: 'Maximum',
  above: 0,
})
alarm('JobsWaitingLong', {
  namespace: 'AWS/SQS',
  metricName: 'ApproximateAgeOfOldestMessage',
  dimensions: { QueueName: jobs.nodes.queue.name },
  statistic: 'Maximum',
  above: 30 * 60,
})

for (const [name, { name: TableName }] of Object.entries({ Table: table, Salts: salts }))
  for (const metricName of ['ReadThrottleEvents', 'WriteThrottleEvents'])
    alarm(`${name}${metricName}`, { namespace: 'AWS/DynamoDB', metricName, dimensions: { TableName }, above: 0 })
