import middy from '@middy/core'
import { checkPorts } from '../aws/check-ports.ts'
import { withMetrics } from '../aws/with-metrics.ts'
import { type CheckedRound, checkRound } from '../freshness/check-round.ts'

/** Less than the time limit of the function, so that checks that have begun can end. */
const roundMs = 240_000

const ports = checkPorts()

/** Compares the libraries whose checks are due with their repositories. The metrics count the outcomes. */
export const handler = middy()
  .use(
    withMetrics<unknown, CheckedRound>((_, counts) => ({
      LibrariesChecked: counts ? Object.values(counts).reduce((sum, each) => sum + each, 0) : 0,
      RefreshesQueued: counts?.queued ?? 0,
      ChecksFailed: (counts?.failed ?? 0) + (counts?.paused ?? 0),
    })),
  )
  .handler(() => checkRound(ports, AbortSignal.timeout(roundMs)))
