import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs'
import type { Log } from '../../shared/log.ts'
import type { JobQueue } from '../jobs/hosted-jobs.ts'

const maxDelayS = 900

/**
 * One message per job. Its body is the key of the library. A message that cannot be sent is only logged: the job is stored, and the
 * schedule requests a worker for it again.
 */
export const sqsQueue = ({ client, url, log }: { client: SQSClient; url: string; log: Pick<Log, 'error'> }): JobQueue => ({
  async send(key, pauseMs = 0) {
    const DelaySeconds = Math.min(maxDelayS, Math.ceil(pauseMs / 1000))
    const onFailure = (error: unknown) =>
      log.error({ project: key, error }, 'a worker could not be requested; the schedule repeats it')
    await client.send(new SendMessageCommand({ QueueUrl: url, MessageBody: key, DelaySeconds })).catch(onFailure)
  },
})
