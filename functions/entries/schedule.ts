import middy from '@middy/core'
import { awsSchedule } from '../aws/stage-ports.ts'
import { traced } from '../aws/with-metrics.ts'
import { schedule } from '../jobs/schedule.ts'

const runSchedule = schedule(awsSchedule())

/** Runs the periodic tasks. */
export const handler = middy()
  .use(traced())
  .handler(() => runSchedule())
