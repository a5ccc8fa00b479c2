import { api, service } from './api.ts'
import { items, nameOf, under } from './grants.ts'
import { lambda, logGroupOf } from './lambda.ts'
import { table } from './storage.ts'

/**
 * Counts events that the stream has rejected, from the log of the API. It writes to another log, so what it logs cannot start it again. A
 * run that fails is repeated twice, a minute and two minutes later.
 */
export const replayUsage = lambda('ReplayUsage', {
  handler: 'functions/entries/replay-usage.handler',
  memory: '512 MB',
  timeout: '5 minutes',
  retries: 2,
  link: [nameOf(table)],
  permissions: [
    under(['LIB#'], items(table, 'GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem')),
    under(['REPLAY'], items(table, 'GetItem', 'BatchGetItem', 'PutItem', 'UpdateItem')),
  ],
})

const logs = logGroupOf('Api')
const account = aws.getCallerIdentityOutput().accountId
const allowed = new aws.lambda.Permission('ReplayUsageOfLog', {
  action: 'lambda:InvokeFunction',
  function: replayUsage.name,
  principal: 'logs.amazonaws.com',
  sourceArn: $interpolate`arn:${aws.getPartitionOutput().partition}:logs:${aws.getRegionOutput().region}:${account}:log-group:${logs}:*`,
  sourceAccount: account,
})

new aws.cloudwatch.LogSubscriptionFilter(
  'OffStream',
  {
    logGroup: logs,
    destinationArn: replayUsage.arn,
    // The message of shared/usage/record-usage.ts. An uncertain event may be on the stream anyway, so a person decides.
    filterPattern: '{ ($.msg = "usage event not on the stream") && ($.uncertain IS FALSE) }',
  },
  { dependsOn: [allowed, ...[api ?? service].filter((each) => each !== undefined)] },
)
