import middy from '@middy/core'
import { awsSchedule } from '../aws/stage-ports.ts'
import { traced } from '../aws/with-metrics.ts'
import { schedule } from '../jobs/schedule.ts'

const runSchedule = schedule(awsSchedule())

/** What has to happen now and then, whoever asks. */
export const handler = middy()
  .use(traced())
  .handler(() => runSchedule())
