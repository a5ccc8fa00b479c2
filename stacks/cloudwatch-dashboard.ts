import { edgeRegion } from './alarm-topics.ts'
import { alarms } from './alarms.ts'
import { api, gateway, router, service } from './api.ts'
import { jobs } from './jobs.ts'
import { metricsNamespace } from './lambda.ts'
import { table } from './storage.ts'
import { applyUsage, usage } from './usage.ts'

/** Namespace, name, then names and values of dimensions, and at last how it is drawn. */
type Metric = ($util.Input<string> | { stat: string })[]

const sum = { stat: 'Sum' }
const maximum = { stat: 'Maximum' }

const atEdge = (name: string, drawn: { stat: string }): Metric => [
  'AWS/CloudFront',
  name,
  'DistributionId',
  router.distributionID,
  'Region',
  'Global',
  drawn,
]
const own = (name: string): Metric => [metricsNamespace, name, 'service', 'Api', sum]
const ofLambda = (name: string, of: sst.aws.Function, drawn = sum): Metric => ['AWS/Lambda', name, 'FunctionName', of.name, drawn]
const ofStream = (name: string, drawn: { stat: string }): Metric => ['AWS/Kinesis', name, 'StreamName', usage.name, drawn]
const ofJobs = (name: string): Metric => ['AWS/SQS', name, 'QueueName', jobs.nodes.queue.name, maximum]
const ofTable = (name: string): Metric => ['AWS/DynamoDB', name, 'TableName', table.name, sum]

function chart(title: string, metrics: Metric[], region: $util.Input<string> = aws.getRegionOutput().region) {
  const properties = { title, region, period: 300, view: 'timeSeries', metrics }
  return { type: 'metric', width: 12, height: 6, properties }
}

function chartsOfFunction(api: sst.aws.Function, { nodes }: sst.aws.ApiGatewayV2) {
  const latency = ['p50', 'p90', 'p99'].map((stat): Metric => ['AWS/ApiGateway', 'Latency', 'ApiId', nodes.api.id, { stat }])
  const runs = [ofLambda('ConcurrentExecutions', api, maximum), ofLambda('Throttles', api)]
  return [chart('Latency of the API in ms', latency), chart('Concurrent runs of the API', runs)]
}

function chartsOfService({ nodes }: sst.aws.Service) {
  const balancer = nodes.loadBalancer.arnSuffix
  const ofBalancer = (name: string, stat: string): Metric => ['AWS/ApplicationELB', name, 'LoadBalancer', balancer, { stat }]
  return [
    chart(
      'Latency of the API in s',
      ['p50', 'p90', 'p99'].map((stat) => ofBalancer('TargetResponseTime', stat)),
    ),
    chart('Requests and errors of the API', [
      ofBalancer('RequestCount', 'Sum'),
      ofBalancer('HTTPCode_Target_5XX_Count', 'Sum'),
      ofBalancer('HTTPCode_ELB_5XX_Count', 'Sum'),
    ]),
  ]
}

/** What the person on duty looks at first: the alarms, then requests from the edge to the table. */
new aws.cloudwatch.Dashboard('Dashboard', {
  dashboardName: `${$app.name}-${$app.stage}`,
  dashboardBody: $jsonStringify({
    widgets: [
      { type: 'alarm', width: 24, height: 4, properties: { title: 'Alarms', alarms: alarms.map(({ arn }) => arn) } },
      chart('Requests at the edge', [atEdge('Requests', sum), atEdge('5xxErrorRate', { stat: 'Average' })], edgeRegion),
      chart('Answers', ['Answers2xx', 'Answers4xx', 'Answers5xx', 'ForeignRequests'].map(own)),
      ...(api && gateway ? chartsOfFunction(api, gateway) : []),
      ...(service ? chartsOfService(service) : []),
      chart('Usage: records, and the age of the oldest in ms', [
        ofStream('IncomingRecords', sum),
        ofStream('GetRecords.IteratorAgeMilliseconds', maximum),
        ofLambda('Errors', applyUsage),
      ]),
      chart('Jobs: messages, and how long the oldest job has waited in s', [
        ofJobs('ApproximateNumberOfMessagesVisible'),
        [metricsNamespace, 'OldestJobWaitSeconds', 'service', 'Schedule', maximum],
      ]),
      chart('Units of the table', [ofTable('ConsumedReadCapacityUnits'), ofTable('ConsumedWriteCapacityUnits')]),
    ],
  }),
})
