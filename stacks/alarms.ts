import { edgeRegion, edgeTopic, topic } from './alarm-topics.ts'
import { api, service as apiService, exporter, gateway, router } from './api.ts'
import { bundle } from './bundle.ts'
import { checks } from './checks.ts'
import { dashboard, dashboardRouter } from './dashboard.ts'
import { deadJobs } from './jobs.ts'
import { logGroupOf, metricsNamespace } from './lambda.ts'
import { replayUsage } from './replay-usage.ts'
import { schedule } from './schedule.ts'
import { startWorker } from './start-worker.ts'
import { salts, table } from './storage.ts'
import { applyUsage, subscription, usage } from './usage.ts'

type Alarm = {
  namespace: string
  metricName: string
  dimensions: Record<string, $util.Input<string>>
  /** The alarm fires when the statistic of the time is higher. */
  above?: number
  /** The alarm fires when the statistic of the time is lower, or when there is no data. */
  below?: number
  /** The alarm also fires when there is no data, which a working stage always has. */
  alwaysHasData?: boolean
  statistic?: 'Sum' | 'Maximum' | 'Average'
  minutes?: number
  /** The metric is in CloudFront's region. */
  atEdge?: boolean
}

/** The alarms of the stage, for its dashboard. */
export const alarms: aws.cloudwatch.MetricAlarm[] = []

function alarm(name: string, { above, below, alwaysHasData, statistic = 'Sum', minutes = 5, atEdge, ...metric }: Alarm) {
  const actions = [atEdge ? edgeTopic.arn : topic.arn]
  const made = new aws.cloudwatch.MetricAlarm(name, {
    name: `${$app.name}-${$app.stage}-${name}`,
    ...metric,
    ...(atEdge && { region: edgeRegion }),
    statistic,
    threshold: above ?? below ?? 0,
    comparisonOperator: below === undefined ? 'GreaterThanThreshold' : 'LessThanThreshold',
    period: minutes * 60,
    evaluationPeriods: 1,
    treatMissingData: alwaysHasData || below !== undefined ? 'breaching' : 'notBreaching',
    alarmActions: actions,
    okActions: actions,
  })
  alarms.push(made)
}

const lambdas = {
  ...(api && { Api: api }),
  Dashboard: dashboard,
  Export: exporter,
  ApplyUsage: applyUsage,
  StartWorker: startWorker,
  Bundle: bundle,
  Schedule: schedule,
  Checks: checks,
}
for (const [name, { name: FunctionName }] of Object.entries(lambdas))
  for (const metricName of ['Errors', 'Throttles'])
    alarm(`${name}${metricName}`, { namespace: 'AWS/Lambda', metricName, dimensions: { FunctionName }, above: 0 })

if (gateway)
  alarm('GatewayErrors', {
    namespace: 'AWS/ApiGateway',
    metricName: '5xx',
    dimensions: { ApiId: gateway.nodes.api.id },
    above: 10,
  })
if (apiService) {
  const { arnSuffix: LoadBalancer } = apiService.nodes.loadBalancer
  for (const [name, metricName] of [
    ['ApiBalancerErrors', 'HTTPCode_ELB_5XX_Count'],
    ['ApiTaskErrors', 'HTTPCode_Target_5XX_Count'],
  ] as const)
    alarm(name, { namespace: 'AWS/ApplicationELB', metricName, dimensions: { LoadBalancer }, above: 10 })
}
for (const [name, { name: FunctionName }] of [
  ['ExportErrors5xx', exporter],
  ['DashboardErrors5xx', dashboard],
] as const)
  alarm(name, { namespace: 'AWS/Lambda', metricName: 'Url5xxCount', dimensions: { FunctionName }, above: 3 })
for (const [name, { distributionID: DistributionId }] of [
  ['EdgeErrors', router],
  ['DashboardEdgeErrors', dashboardRouter],
] as const)
  alarm(name, {
    namespace: 'AWS/CloudFront',
    metricName: '5xxErrorRate',
    dimensions: { DistributionId, Region: 'Global' },
    statistic: 'Average',
    // Percent of all requests.
    above: 5,
    atEdge: true,
  })

// Requests around the Router. They are rejected, but each costs a run.
for (const service of ['Api', 'Dashboard', 'Export'])
  alarm(`${service}ForeignRequests`, {
    namespace: metricsNamespace,
    metricName: 'ForeignRequests',
    dimensions: { service },
    above: 1_000,
  })

// An event is usually counted ten seconds after its request. At five minutes, a shard is stuck or the table is throttled. The stream
// has this metric as long as a consumer reads it.
alarm('UsageIteratorAge', {
  namespace: 'AWS/Kinesis',
  metricName: 'GetRecords.IteratorAgeMilliseconds',
  dimensions: { StreamName: usage.name },
  statistic: 'Maximum',
  above: 5 * 60 * 1000,
  alwaysHasData: true,
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

// Events that the stream rejected, and that could not be counted from the log either. Their errors before that are repeated.
alarm('UsageReplayFailed', {
  namespace: 'AWS/Lambda',
  metricName: 'AsyncEventsDropped',
  dimensions: { FunctionName: replayUsage.name },
  above: 0,
})

// What only a person can settle: events that may be on the stream, or that were not even logged.
const offStream = { name: 'UsageOffStream', namespace: metricsNamespace }
new aws.cloudwatch.LogMetricFilter(
  offStream.name,
  {
    name: offStream.name,
    logGroupName: logGroupOf('Api'),
    // The messages of shared/usage/record-usage.ts.
    pattern: '{ (($.msg = "usage event not on the stream") && ($.uncertain IS TRUE)) || ($.msg = "usage event lost") }',
    metricTransformation: { ...offStream, value: '1' },
  },
  { dependsOn: [api ?? apiService].filter((each) => each !== undefined) },
)
alarm('UsageOffStream', { namespace: offStream.namespace, metricName: offStream.name, dimensions: {}, above: 0 })

for (const [name, { name: FunctionName }] of [
  ['ScheduleStopped', schedule],
  ['ChecksStopped', checks],
] as const)
  alarm(name, { namespace: 'AWS/Lambda', metricName: 'Invocations', dimensions: { FunctionName }, below: 1, minutes: 15 })
// Without the salt of the day, users are not counted and addresses are not limited.
alarm('SaltsMissing', {
  namespace: metricsNamespace,
  metricName: 'SaltOfTomorrow',
  dimensions: { service: 'Schedule' },
  below: 1,
  minutes: 60,
})

alarm('DeadJobsWaiting', {
  namespace: 'AWS/SQS',
  metricName: 'ApproximateNumberOfMessagesVisible',
  dimensions: { QueueName: deadJobs.nodes.queue.name },
  statistic: 'Maximum',
  above: 0,
})
// The age of the queue's oldest message says less: a job that waits for capacity gets a new message every two minutes.
alarm('JobsWaitingLong', {
  namespace: metricsNamespace,
  metricName: 'OldestJobWaitSeconds',
  dimensions: { service: 'Schedule' },
  statistic: 'Maximum',
  above: 30 * 60,
})

for (const [name, { name: TableName }] of Object.entries({ Table: table, Salts: salts }))
  for (const metricName of ['ReadThrottleEvents', 'WriteThrottleEvents'])
    alarm(`${name}${metricName}`, { namespace: 'AWS/DynamoDB', metricName, dimensions: { TableName }, above: 0 })
