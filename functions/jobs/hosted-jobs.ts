import type { JobReport, JobRequest } from '../../shared/indexing/index-job.ts'
import type { ClaimedJob, HostedJob, Progress } from './hosted-job.ts'

/** The unfinished jobs, at most one per library. */
export type HostedJobs = {
  /** Throws job_active if the library has an unfinished job. */
  enqueue(job: { key: string; project: string; request: JobRequest }): Promise<HostedJob>
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
