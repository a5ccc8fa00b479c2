import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs'
import type { JobQueue } from '../jobs/hosted-jobs.ts'

const maxDelayS = 900

/** One message per job. Its body is the key of the library. */
export const sqsQueue = ({ client, url }: { client: SQSClient; url: string }): JobQueue => ({
  async send(key, pauseMs = 0) {
    const DelaySeconds = Math.min(maxDelayS, Math.ceil(pauseMs / 1000))
    await client.send(new SendMessageCommand({ QueueUrl: url, MessageBody: key, DelaySeconds }))
  },
})
