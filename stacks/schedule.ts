import { changeObjects, items, nameOf, under } from './grants.ts'
import { jobs } from './jobs.ts'
import { lambda } from './lambda.ts'
import { gitHosts } from './stage.ts'
import { content, salts, table } from './storage.ts'

/** Creates and deletes salts, requests workers for jobs with an expired lease, deletes retired generations, publishes the catalog's snapshot. */
export const schedule = lambda('Schedule', {
  handler: 'functions/entries/schedule.handler',
  lance: true,
  memory: '1024 MB',
  timeout: '5 minutes',
  environment: gitHosts,
  link: [nameOf(table), nameOf(salts), nameOf(content), nameOf(jobs)],
  permissions: [
    under(['CATALOG#'], items(table, 'GetItem', 'Query')),
    under(['DETAILS#'], items(table, 'Query', 'DeleteItem')),
    under(['GENERATIONS'], items(table, 'Query', 'DeleteItem')),
    under(['JOBS'], items(table, 'Query', 'PutItem', 'UpdateItem')),
    // How far the checks of project files have come.
    under(['OPTOUTCHECK'], items(table, 'GetItem', 'PutItem')),
    under(['SNAPSHOT'], items(table, 'GetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem')),
    items(salts, 'PutItem', 'DeleteItem', 'Scan'),
    ...changeObjects(content),
    { actions: ['sqs:SendMessage'], resources: [jobs.arn] },
  ],
})

new sst.aws.CronV2('Sweep', { function: schedule.arn, schedule: 'rate(5 minutes)', retries: 2 })
