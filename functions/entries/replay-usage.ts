import middy from '@middy/core'
import type { CloudWatchLogsEvent } from 'aws-lambda'
import { replayPorts } from '../aws/usage-ports.ts'
import { withMetrics } from '../aws/with-metrics.ts'
import type { ReplayReport } from '../counting/replay.ts'
import { replayHandler } from '../counting/replay-handler.ts'

const counted = withMetrics((_event: CloudWatchLogsEvent, report?: ReplayReport) => ({ UsageReplayed: report?.counted ?? 0 }))

/** Counts events that did not reach the stream, from the log. */
export const handler = middy<CloudWatchLogsEvent>().use(counted).handler(replayHandler(replayPorts()))
