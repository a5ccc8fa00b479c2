import middy from '@middy/core'
import { awsSchedule } from '../aws/stage-ports.ts'
import { withMetrics } from '../aws/with-metrics.ts'
import { schedule } from '../jobs/schedule.ts'

const ports = awsSchedule()
let saltsMade = 0
const makeAhead = async () => {
  await ports.salts.makeAhead()
  saltsMade = 1
}
let waitMs = 0
const onWait = (ms: number) => {
  waitMs = ms
}
const runSchedule = schedule({ ...ports, salts: { ...ports.salts, makeAhead }, onWait })

/** Runs the periodic tasks. Alarms fire if no run had the salt of tomorrow, and if a job waits too long for a worker. */
export const handler = middy()
  .use(withMetrics(() => ({ SaltOfTomorrow: saltsMade, OldestJobWaitSeconds: Math.round(waitMs / 1000) })))
  .handler(async () => {
    saltsMade = 0
    waitMs = 0
    await runSchedule()
  })
