import { items, nameOf, under } from './grants.ts'
import { jobs } from './jobs.ts'
import { lambda } from './lambda.ts'
import { gitHosts, refreshSchedule } from './stage.ts'
import { content, table } from './storage.ts'

/** Compares libraries with their repositories when their schedules ask for it, and queues refreshes of those that have changed. */
export const checks = lambda('Checks', {
  handler: 'functions/entries/checks.handler',
  memory: '512 MB',
  timeout: '5 minutes',
  environment: { ...gitHosts, ...refreshSchedule },
  link: [nameOf(table), nameOf(content), nameOf(jobs)],
  permissions: [
    under(['CATALOG#'], items(table, 'GetItem', 'BatchGetItem')),
    under(['DETAILS#'], items(table, 'GetItem')),
    under(['CHECK#'], items(table, 'GetItem', 'BatchGetItem', 'UpdateItem', 'DeleteItem')),
    // The planned checks, by time.
    under(['DUECHECKS'], items(table, 'Query', 'PutItem', 'DeleteItem')),
    under(['JOBS'], items(table, 'GetItem', 'Query', 'PutItem')),
    under(['SNAPSHOT'], items(table, 'GetItem')),
    // The list of all libraries.
    { actions: ['s3:GetObject'], resources: [$interpolate`${content.arn}/catalog/*`] },
    { actions: ['sqs:SendMessage'], resources: [jobs.arn] },
  ],
})

new sst.aws.CronV2('CheckLibraries', { function: checks.arn, schedule: 'rate(5 minutes)', retries: 0 })
