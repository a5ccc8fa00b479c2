import type { IndexJob, JobReport, JobRequest } from '../../shared/indexing/index-job.ts'

export type Progress = { stage: string; filesDone: number; filesTotal: number; snippets: number }

/** The one unfinished job of a library. Times are ISO 8601. */
export type HostedJob = Omit<IndexJob, 'library'> & {
  id: string
  /** Id of the library. */
  project: string
  key: string
  /** The request of a caller that queued the job. */
  requestId?: string
  state: 'queued' | 'running'
  /** Number of workers that died while they ran the job. */
  interruptions: number
  createdAt: string
  /** The job does not start before this time. */
  dueAt: string
  /** The last time that a worker was requested. */
  sentAt: string
  progress: Progress
  /** The worker that runs the job. */
  owner?: string
  /** The end of the worker's lease, unless it renews it. */
  leaseUntil?: string
}

/** No lease is this long: one that ends later was made by a worker whose clock is ahead, and would keep the job from others for days. */
export const maxLeaseMs = 15 * 60_000

/** True if another worker may claim a running job. */
export function hasLapsed({ leaseUntil = '' }: HostedJob, now: Date): boolean {
  const leftMs = Date.parse(leaseUntil) - now.getTime()
  return !(leftMs > 0 && leftMs <= maxLeaseMs)
}

/** A job that a worker has claimed. */
export type ClaimedJob = HostedJob & { owner: string }

/** `requestId` is that of the caller's request, if one queues the job. */
export type NewJob = { key: string; project: string; request: JobRequest; requestId?: string | undefined }

/** The unfinished jobs, at most one per library. */
export type HostedJobs = {
  /** Throws job_active if the library has an unfinished job. */
  enqueue(job: NewJob): Promise<HostedJob>
  find(key: string): Promise<HostedJob | undefined>
  active(): Promise<HostedJob[]>
  /** Gives a job to a worker if it is queued or its lease has expired; undefined otherwise. */
  claim(key: string, owner: string): Promise<ClaimedJob | undefined>
  /** Renews the lease. False if another worker has the job. */
  renew(job: ClaimedJob, progress?: Progress): Promise<boolean>
  /** Queues the job again, after a failure that may pass or when the worker stops. False if another worker has the job. */
  requeue(job: ClaimedJob, why: { dueAt: Date; attemptCounts: boolean; report?: JobReport }): Promise<boolean>
  /** Deletes a job after its outcome is in the catalog. */
  finish(job: ClaimedJob): Promise<void>
  /** Marks that a worker is requested again. False if the job has changed since. */
  resend(job: HostedJob): Promise<boolean>
  /** Queues the running jobs again and returns their number. Only for the start of a process that is the only worker. */
  recover(): Promise<number>
}

/**
 * Requests a worker for a job, after the pause. The stored job is authoritative: a lost message is sent again. `requestId` is only for
 * the log.
 */
export type JobQueue = { send(key: string, pauseMs?: number, requestId?: string): Promise<void> }

export type EnqueuePorts = { jobs: Pick<HostedJobs, 'enqueue'>; queue: JobQueue }

/** Stores a job and wakes a worker for it. Throws job_active. */
export async function enqueueJob({ jobs, queue }: EnqueuePorts, job: NewJob): Promise<void> {
  await jobs.enqueue(job)
  await queue.send(job.key, 0, job.requestId)
}
