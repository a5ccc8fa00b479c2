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
const runSchedule = schedule({ ...ports, salts: { ...ports.salts, makeAhead } })

/** Runs the periodic tasks. An alarm fires if no run had the salt of tomorrow. */
export const handler = middy()
  .use(withMetrics(() => ({ SaltOfTomorrow: saltsMade })))
  .handler(async () => {
    saltsMade = 0
    await runSchedule()
  })
