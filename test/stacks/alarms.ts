import { describe, expect, test } from 'vitest'
import { all, one, type Stages, stageNames } from './stage.ts'

export const alarmTests = (stages: () => Stages) => {
  describe.each(stageNames)('alarms of stage %s', (name) => {
    const alarms = () => all(stages()[name], 'cloudwatch/metricAlarm')

    test('fire for errors, throttling, a stuck shard, lost records, foreign requests and dead letters', () => {
      const watched = alarms().map(({ inputs }) =>
        `${inputs.metricName} ${Object.values(inputs.dimensions)}`.replace(/ carrel-\w+-(\w+)-\w+$/, ' $1').trim(),
      )
      const lambdas = all(stages()[name], 'lambda/function').map((made) => made.name)
      const expected = [
        // Runs of this one are repeated, and throttled ones wait.
        ...lambdas
          .filter((lambda) => lambda !== 'ReplayUsageFunction')
          .flatMap((lambda) => [`Errors ${lambda}`, `Throttles ${lambda}`]),
        'AsyncEventsDropped ReplayUsageFunction',
        ...['TableTable', 'SaltsTable'].flatMap((table) => [`ReadThrottleEvents ${table}`, `WriteThrottleEvents ${table}`]),
        '5xx GatewayApi-id',
        'Url5xxCount ExportFunction',
        'Url5xxCount DashboardFunction',
        '5xxErrorRate RouterCdnDistribution-id,Global',
        '5xxErrorRate DashboardRouterCdnDistribution-id,Global',
        'ForeignRequests Api',
        'ForeignRequests Dashboard',
        'ForeignRequests Export',
        'GetRecords.IteratorAgeMilliseconds UsageStream',
        'DestinationDeliveryFailures ApplyUsageFunction',
        'OnFailureDestinationDeliveredEventCount the-mapping',
        'WriteProvisionedThroughputExceeded UsageStream',
        'UsageOffStream',
        'Invocations ScheduleFunction',
        'Invocations ChecksFunction',
        'SaltOfTomorrow Schedule',
        'ApproximateNumberOfMessagesVisible DeadJobsQueue',
        'OldestJobWaitSeconds Schedule',
      ]
      expect(watched.sort()).toEqual(expected.sort())
    })

    test('notify a topic of their region, which CloudWatch and the budget may publish to', () => {
      const stage = stages()[name]
      for (const { inputs } of alarms()) {
        const topic = inputs.metricName === '5xxErrorRate' ? 'EdgeAlarms' : 'Alarms'
        expect(inputs.alarmActions, inputs.metricName).toEqual([expect.stringMatching(new RegExp(`^arn:aws:sns:.*-${topic}$`))])
        expect(inputs.okActions).toEqual(inputs.alarmActions)
      }

      const edge = alarms().filter(({ inputs }) => inputs.metricName === '5xxErrorRate')
      const regions = [...edge, one(stage, 'sns/topic', 'EdgeAlarms')].map(({ inputs }) => inputs.region)
      expect(regions).toEqual(Array(3).fill('us-east-1'))
      for (const { inputs } of all(stage, 'sns/topicPolicy'))
        expect(JSON.parse(inputs.policy).Statement).toEqual([
          {
            Effect: 'Allow',
            Action: ['sns:Publish'],
            Resource: [inputs.arn],
            Principal: { Service: ['cloudwatch.amazonaws.com', 'budgets.amazonaws.com'] },
            Condition: { StringEquals: { 'aws:SourceAccount': ['123456789012'] } },
          },
        ])
    })

    test('reach the person on duty, if the stage names one', () => {
      const subscribed = all(stages()[name], 'sns/topicSubscription').map(({ inputs }) => [inputs.protocol, inputs.endpoint])
      expect(subscribed).toEqual(name === 'production' ? Array(2).fill(['email', 'ops@example.com']) : [])
    })

    test('fire without data for the consumer, the schedule and the salts, which always have some', () => {
      const withoutData = alarms().filter(({ inputs }) => inputs.treatMissingData === 'breaching')
      expect(withoutData.map(({ inputs }) => inputs.metricName).sort()).toEqual([
        'GetRecords.IteratorAgeMilliseconds',
        'Invocations',
        'Invocations',
        'SaltOfTomorrow',
      ])
      for (const { inputs } of alarms().filter(({ inputs }) => inputs.metricName === 'Invocations'))
        expect(inputs).toMatchObject({ comparisonOperator: 'LessThanThreshold', threshold: 1, period: 900 })
    })

    test('read the metrics that the functions of their stage write', () => {
      const { variables } = one(stages()[name], 'lambda/function', 'Api').inputs.environment
      expect(variables).toMatchObject({ POWERTOOLS_METRICS_NAMESPACE: `carrel/${name}`, POWERTOOLS_SERVICE_NAME: 'Api' })
      const own = alarms().filter(({ inputs }) => !inputs.namespace.startsWith('AWS/'))
      expect(own.map(({ inputs }) => inputs.namespace)).toEqual(Array(6).fill(`carrel/${name}`))
    })

    test('count the lines of the log about events that may be on the stream, or are in no log', () => {
      const { logGroupName, pattern, metricTransformation } = one(stages()[name], 'cloudwatch/logMetricFilter', 'Usage').inputs
      expect(logGroupName).toBe(one(stages()[name], 'cloudwatch/logGroup', 'ApiLogs').inputs.name)
      expect(pattern).toContain('($.msg = "usage event not on the stream") && ($.uncertain IS TRUE)')
      expect(metricTransformation).toMatchObject({ name: 'UsageOffStream', namespace: `carrel/${name}` })
    })

    test('are all on the dashboard of the stage, with charts of existing resources', () => {
      const body = JSON.parse(one(stages()[name], 'cloudwatch/dashboard', 'Dashboard').inputs.dashboardBody)
      const [state, ...charts] = body.widgets
      expect(state.properties.alarms).toHaveLength(alarms().length)
      expect(charts.length).toBeGreaterThanOrEqual(7)
      for (const { properties } of charts)
        for (const metric of properties.metrics) {
          expect(
            metric.slice(0, -1).every((part: unknown) => typeof part === 'string' && part !== ''),
            properties.title,
          ).toBe(true)
          expect(metric.at(-1)).toMatchObject({ stat: expect.any(String) })
        }
    })
  })
}
