import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs'
import type { Log } from '../../shared/log.ts'
import type { JobQueue } from '../jobs/hosted-jobs.ts'

const maxDelayS = 900

/**
 * One message per job. Its body is the key of the library, an attribute the id of the request that queued the job. A message that cannot be sent is only logged: the job is stored, and the
 * schedule requests a worker for it again.
 */
export const sqsQueue = ({ client, url, log }: { client: SQSClient; url: string; log: Pick<Log, 'error'> }): JobQueue => ({
  async send(key, pauseMs = 0, requestId) {
    const DelaySeconds = Math.min(maxDelayS, Math.ceil(pauseMs / 1000))
    const MessageAttributes = requestId && { requestId: { DataType: 'String', StringValue: requestId } }
    const onFailure = (error: unknown) =>
      log.error({ project: key, request: requestId, error }, 'a worker could not be requested; the schedule repeats it')
    const message = { MessageBody: key, DelaySeconds, ...(MessageAttributes && { MessageAttributes }) }
    await client.send(new SendMessageCommand({ QueueUrl: url, ...message })).catch(onFailure)
  },
})
