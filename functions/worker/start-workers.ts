import { randomUUID } from 'node:crypto'
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda'
import { z } from 'zod'
import { type Log, logWith } from '../../shared/log.ts'
import { type HostedJob, type HostedJobs, hasLapsed, type JobQueue } from '../jobs/hosted-jobs.ts'

export type StarterPorts = {
  /** True if a worker would find nothing to do. */
  isUnchanged(job: HostedJob): Promise<boolean>
  jobs: Pick<HostedJobs, 'find' | 'claim' | 'finish' | 'resend'>
  queue: JobQueue
  /** Starts a worker for the job of a library. Throws NoCapacity. */
  runTask(key: string): Promise<void>
  log: Log
  now(): Date
}

/** No worker can start now: the account has reached a quota, or AWS has no capacity. */
export class NoCapacity extends Error {
  override readonly name = 'NoCapacity'
}

/** Shorter than the time after which the schedule requests a worker again, so that a job never has two messages. */
const capacityPauseMs = 120_000

const Key = z
  .string()
  .max(500)
  .regex(/^\/[^/]+\/[^/]+$/)

/**
 * Starts a worker for each message whose job waits for one. A job whose repository is unchanged is finished without a worker. A message that
 * finds no capacity is sent again later. Another message whose worker cannot start is delivered again, and ends in the dead-letter queue.
 */
export async function startWorkers(ports: StarterPorts, { Records }: SQSEvent): Promise<SQSBatchResponse> {
  const batchItemFailures: SQSBatchResponse['batchItemFailures'] = []
  const start = async (message: SQSRecord) => {
    const { messageId } = message
    const log = logWith(ports.log, { request: requestIdOf(message) })
    try {
      await startOne({ ...ports, log }, message)
    } catch (error) {
      log.error({ messageId, error }, 'a worker could not be started')
      batchItemFailures.push({ itemIdentifier: messageId })
    }
  }
  await Promise.all(Records.map(start))
  return { batchItemFailures }
}

const requestIdOf = ({ messageAttributes }: SQSRecord): string | undefined => messageAttributes?.requestId?.stringValue

async function startOne(ports: StarterPorts, { body, messageId }: SQSRecord): Promise<void> {
  const { jobs, runTask, log, now } = ports
  const key = Key.safeParse(body)
  if (!key.success) return log.error({ messageId }, 'a message without a job key was dropped')
  const job = await jobs.find(key.data)
  const isRunning = job?.state === 'running' && !hasLapsed(job, now())
  if (!job || isRunning) return log.info({ project: key.data }, 'a job is done or already running')
  if (await finishUnchanged(ports, job)) return
  try {
    await runTask(job.key)
    log.info({ job: job.id, project: job.project }, 'a worker was started')
  } catch (error) {
    if (!(error instanceof NoCapacity)) throw error
    log.warn({ project: job.project, error }, 'there is no capacity for a worker; its job is tried again later')
    // If the job has changed, its change has sent a message.
    if (await jobs.resend(job)) await ports.queue.send(job.key, capacityPauseMs, job.requestId)
  }
}

/** A check that fails leaves the job to a worker. */
async function finishUnchanged({ isUnchanged, jobs, log }: StarterPorts, job: HostedJob): Promise<boolean> {
  const isSame = await isUnchanged(job).catch((error: unknown) => {
    log.info({ project: job.project, error }, 'a repository cannot be checked; a worker starts')
    return false
  })
  if (!isSame) return false
  const claimed = await jobs.claim(job.key, randomUUID())
  if (claimed) await jobs.finish(claimed)
  log.info({ job: job.id, project: job.project }, 'a repository is unchanged; no worker was started')
  return true
}
