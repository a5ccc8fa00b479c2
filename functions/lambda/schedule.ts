import middy from '@middy/core'
import { traced } from '../aws/observed.ts'
import { awsSchedule } from '../aws/stage-ports.ts'
import { scheduleOf } from '../jobs/schedule.ts'

const runSchedule = scheduleOf(awsSchedule())

/** What has to happen now and then, whoever asks. */
export const handler = middy()
  .use(traced())
  .handler(() => runSchedule())
