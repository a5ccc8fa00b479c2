import { relative } from 'node:path'
import { describe, expect, test } from 'vitest'
import { root } from './evaluate-stage.ts'
import { all, one, type Stages, stageNames } from './stage.ts'

const day = 24 * 3600

export const pipelineTests = (stages: () => Stages) => {
  describe.each(stageNames)('pipelines of stage %s', (name) => {
    test('usage events stay on an encrypted stream for seven days', () => {
      expect(one(stages()[name], 'kinesis/stream', 'Usage').inputs).toMatchObject({
        retentionPeriod: 7 * 24,
        encryptionType: 'KMS',
        streamModeDetails: { streamMode: 'ON_DEMAND' },
      })
    })

    test('the consumer begins at the oldest record, keeps each shard in order, retries for six days and then sends the records to S3', () => {
      const { inputs } = one(stages()[name], 'lambda/eventSourceMapping', 'Usage')
      expect(inputs).toMatchObject({
        startingPosition: 'TRIM_HORIZON',
        parallelizationFactor: 1,
        maximumRetryAttempts: -1,
        maximumRecordAgeInSeconds: 6 * day,
        maximumBatchingWindowInSeconds: 5,
        batchSize: 10_000,
        functionResponseTypes: ['ReportBatchItemFailures'],
        destinationConfig: { onFailure: { destinationArn: 'arn:aws:s3:::FailedUsageBucket' } },
      })
      expect(inputs.maximumRecordAgeInSeconds).toBeLessThan(7 * day)
    })

    test('events that the stream certainly has not are counted from the log of the API alone, with two repetitions', () => {
      const stage = stages()[name]
      const [filter, ...others] = all(stage, 'cloudwatch/logSubscriptionFilter')
      expect(others).toEqual([])
      const { logGroup, filterPattern, destinationArn } = filter?.inputs ?? {}
      expect(logGroup).toBe(one(stage, 'cloudwatch/logGroup', 'ApiLogs').inputs.name)
      expect(filterPattern).toBe('{ ($.msg = "usage event not on the stream") && ($.uncertain IS FALSE) }')
      expect(destinationArn).toMatch(/:function:carrel-\w+-ReplayUsageFunction-\w+$/)
      const { principal, sourceArn, sourceAccount } = one(stage, 'lambda/permission', 'ReplayUsageOfLog').inputs
      expect([principal, sourceAccount]).toEqual(['logs.amazonaws.com', '123456789012'])
      expect(sourceArn).toBe(`arn:aws:logs:us-east-1:123456789012:log-group:${logGroup}:*`)
      expect(one(stage, 'lambda/functionEventInvokeConfig', 'ReplayUsage').inputs.maximumRetryAttempts).toBe(2)
    })

    test('a job that fails to start five times goes to the dead-letter queue for two weeks, and messages fail one by one', () => {
      const stage = stages()[name]
      const dead = one(stage, 'sqs/queue', 'DeadJobs').inputs
      const queue = one(stage, 'sqs/queue', 'Jobs').inputs
      const { deadLetterTargetArn, maxReceiveCount } = JSON.parse(queue.redrivePolicy)
      expect(deadLetterTargetArn.endsWith(dead.name)).toBe(true)
      expect(maxReceiveCount).toBe(5)
      expect(dead.messageRetentionSeconds).toBe(14 * day)
      for (const made of all(stage, 'sqs/queue')) expect(made.inputs.sqsManagedSseEnabled).toBe(true)
      expect(queue.visibilityTimeoutSeconds).toBeGreaterThanOrEqual(
        6 * one(stage, 'lambda/function', 'StartWorker').inputs.timeout,
      )
      expect(one(stage, 'lambda/eventSourceMapping', 'Jobs').inputs.functionResponseTypes).toEqual(['ReportBatchItemFailures'])
    })

    test("the starter has the worker's settings in one variable", () => {
      const { variables } = one(stages()[name], 'lambda/function', 'StartWorker').inputs.environment
      expect(JSON.parse(variables.WORKER_TASK)).toEqual({
        cluster: expect.stringMatching(/^arn:aws:ecs:.*:cluster\//),
        taskDefinition: expect.stringMatching(/:task-definition\/WorkerTask:1$/),
        containers: ['Worker'],
        subnets: [expect.any(String), expect.any(String)],
        securityGroups: [expect.any(String)],
        assignPublicIp: true,
      })
    })

    test('the worker and its image are for ARM, like the functions', () => {
      const { runtimePlatform } = one(stages()[name], 'ecs/taskDefinition', 'WorkerTask').inputs
      expect(runtimePlatform).toMatchObject({ cpuArchitecture: 'ARM64', operatingSystemFamily: 'LINUX' })
      const [image] = stages()[name].resources.filter(({ type }) => type === 'docker-build:index:Image')
      expect(image?.inputs.platforms).toEqual(['linux/arm64'])
    })

    test('a worker can only connect over https, and accepts no connections', () => {
      const { ingress, egress } = one(stages()[name], 'ec2/defaultSecurityGroup', 'Network').inputs
      expect(ingress).toEqual([])
      expect(egress).toEqual([{ protocol: 'tcp', fromPort: 443, toPort: 443, cidrBlocks: ['0.0.0.0/0'] }])
      const [container] = JSON.parse(one(stages()[name], 'ecs/taskDefinition', 'Worker').inputs.containerDefinitions)
      const told = container.environment.map((variable: { name: string }) => variable.name)
      const links = [
        'SST_RESOURCE_App',
        'SST_RESOURCE_Content',
        'SST_RESOURCE_Jobs',
        'SST_RESOURCE_Table',
        'SST_RESOURCE_TokenKey',
      ]
      expect(told.sort()).toEqual(name === 'production' ? ['GITLAB_BASE_URL', ...links] : links)
    })

    test('the worker alone gets the tokens of the git hosts, decrypted when it starts', () => {
      const stage = stages()[name]
      const { type, value, name: parameter } = one(stage, 'ssm/parameter', 'GitTokens').inputs
      expect([type, JSON.parse(value)]).toEqual(['SecureString', { github: 'token-of-github', gitlab: 'token-of-gitlab' }])
      const [container] = JSON.parse(one(stage, 'ecs/taskDefinition', 'Worker').inputs.containerDefinitions)
      const valueFrom = expect.stringMatching(new RegExp(`^arn:aws:ssm:.*:parameter${parameter}$`))
      expect(container.secrets).toEqual([{ name: 'SST_RESOURCE_GitTokens', valueFrom }])
    })

    test("the API has the operator's terms, or else the default, next to its bundle", () => {
      const copied = stages()[name].builds.find((build) => build.name === 'Api')?.copyFiles ?? []
      const fileOf = (name: string) => relative(root, copied.find(({ to }) => to === name)?.from ?? '')
      const terms = name === 'production' ? 'README.md' : 'functions/pages/texts/terms.md'
      expect([fileOf('terms.md'), fileOf('privacy.md')]).toEqual([terms, 'functions/pages/texts/privacy.md'])
    })

    test('functions have the data that they read next to their bundles', () => {
      for (const build of ['Api', 'Dashboard', 'Export']) {
        const copied = stages()[name].builds.find((each) => each.name === build)?.copyFiles ?? []
        const folders = copied.filter(({ to }) => to === 'data').map(({ from }) => relative(root, from))
        const search = build === 'Export' ? [] : ['shared/search/words/data']
        expect(folders.sort(), build).toEqual(['shared/screening/data', ...search])
      }
    })

    test('the API, which checks a repository first, and the worker know self-hosted git hosts', () => {
      const stage = stages()[name]
      const { GITHUB_BASE_URL, GITLAB_BASE_URL } = one(stage, 'lambda/function', 'Api').inputs.environment.variables
      const own = name === 'production' ? 'https://git.example.com/lab' : undefined
      expect([GITHUB_BASE_URL, GITLAB_BASE_URL]).toEqual([undefined, own])
      const [container] = JSON.parse(one(stage, 'ecs/taskDefinition', 'Worker').inputs.containerDefinitions)
      const told = container.environment.filter((variable: { name: string }) => variable.name.endsWith('_BASE_URL'))
      expect(told).toEqual(own === undefined ? [] : [{ name: 'GITLAB_BASE_URL', value: own }])
    })

    test('libraries are compared with their repositories every five minutes, and a failed round is not repeated before', () => {
      expect(one(stages()[name], 'scheduler/schedule', 'CheckLibraries').inputs).toMatchObject({
        scheduleExpression: 'rate(5 minutes)',
        state: 'ENABLED',
        target: { retryPolicy: { maximumRetryAttempts: 0 } },
      })
      const { variables } = one(stages()[name], 'lambda/function', 'Checks').inputs.environment
      expect(variables.REFRESH_SCHEDULE).toBe(name === 'production' ? 'daily' : undefined)
    })

    test('the sweep runs every five minutes and is retried', () => {
      expect(one(stages()[name], 'scheduler/schedule', 'Sweep').inputs).toMatchObject({
        scheduleExpression: 'rate(5 minutes)',
        state: 'ENABLED',
        target: { retryPolicy: { maximumRetryAttempts: 2 } },
      })
    })

    test('logs are kept for a month in production and a week elsewhere', () => {
      const days = name === 'production' ? 30 : 7
      for (const group of all(stages()[name], 'cloudwatch/logGroup')) expect(group.inputs.retentionInDays, group.name).toBe(days)
    })
  })
}
