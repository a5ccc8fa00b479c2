import type { SQSBatchResponse, SQSEvent } from 'aws-lambda'
import { z } from 'zod'
import type { Log } from '../../shared/log.ts'
import type { HostedJobs } from '../jobs/hosted-jobs.ts'

export type StarterPorts = {
  jobs: Pick<HostedJobs, 'find'>
  /** Starts a worker for the job of a library. */
  runTask(key: string): Promise<void>
  log: Log
  now(): Date
}

const Key = z
  .string()
  .max(500)
  .regex(/^\/[^/]+\/[^/]+$/)

/** Starts a worker for each message whose job waits for one. A message whose worker cannot start is delivered again, and ends in the dead-letter queue. */
export async function startWorkers(ports: StarterPorts, { Records }: SQSEvent): Promise<SQSBatchResponse> {
  const batchItemFailures: SQSBatchResponse['batchItemFailures'] = []
  for (const { body, messageId } of Records) {
    try {
      await startOne(ports, body, messageId)
    } catch (error) {
      ports.log.error({ messageId, error }, 'a worker could not be started')
      batchItemFailures.push({ itemIdentifier: messageId })
    }
  }
  return { batchItemFailures }
}

async function startOne({ jobs, runTask, log, now }: StarterPorts, body: string, messageId: string): Promise<void> {
  const key = Key.safeParse(body)
  if (!key.success) return log.error({ messageId }, 'a message without a job key was dropped')
  const job = await jobs.find(key.data)
  const isRunning = job?.state === 'running' && (job.leaseUntil ?? '') > now().toISOString()
  if (!job || isRunning) return log.info({ project: key.data }, 'a job is done or already running')
  await runTask(key.data)
}
