import { gunzipSync } from 'node:zlib'
import type { CloudWatchLogsEvent } from 'aws-lambda'
import { z } from 'zod'
import { type ReplayReport, replay } from './replay.ts'
import type { ReplayPorts } from './replay-batch.ts'

const maxBytes = 64 * 2 ** 20

/** Lines of a log as CloudWatch Logs delivers them. Messages of another type only check that the function can be called. */
const LogLines = z.object({ messageType: z.string(), logEvents: z.array(z.object({ message: z.string() })) })

/**
 * Counts usage events that did not reach the stream, from their lines in the log, as a replay does: an event that is delivered again, or
 * replayed by a person, counts once. Uncertain events are left to a person. Throws if the lines have to be delivered again.
 */
export const replayHandler =
  (ports: ReplayPorts) =>
  async ({ awslogs }: CloudWatchLogsEvent): Promise<ReplayReport | undefined> => {
    const unpacked = gunzipSync(Buffer.from(awslogs.data, 'base64'), { maxOutputLength: maxBytes })
    const { messageType, logEvents } = LogLines.parse(JSON.parse(unpacked.toString()))
    if (messageType !== 'DATA_MESSAGE') return undefined
    const report = await replay(ports, messagesOf(logEvents), { uncertain: false })
    ports.log.info({ ...report }, 'usage events were counted from the log')
    return report
  }

async function* messagesOf(logEvents: { message: string }[]): AsyncGenerator<string> {
  for (const { message } of logEvents) yield message
}
