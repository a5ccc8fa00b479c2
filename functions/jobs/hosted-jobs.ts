import type { JobReport, JobRequest } from '../../shared/indexing/index-job.ts'
import type { ClaimedJob, HostedJob, Progress } from './hosted-job.ts'

/** The unfinished jobs, one a library. */
export type HostedJobs = {
  /** Throws job_active where the library has an unfinished job. */
  enqueue(job: { key: string; project: string; request: JobRequest }): Promise<HostedJob>
  find(key: string): Promise<HostedJob | undefined>
  active(): Promise<HostedJob[]>
  /** Gives a job that waits, or whose worker has not been heard of, to a worker. Undefined where there is none of these. */
  claim(key: string, owner: string): Promise<ClaimedJob | undefined>
  /** Prolongs the lease. False where the job is in other hands by now. */
  renew(job: ClaimedJob, progress?: Progress): Promise<boolean>
  /** Back into the queue, for a failure that may pass by itself or a worker that stops. False where the job is in other hands. */
  requeue(job: ClaimedJob, why: { dueAt: Date; attemptCounts: boolean; report?: JobReport }): Promise<boolean>
  /** Forgets a job whose end stands in the catalog. */
  finish(job: ClaimedJob): Promise<void>
  /** Marks that a worker is asked for once more. False where that has been done since, or the job has moved on. */
  resend(job: HostedJob): Promise<boolean>
  /** At the start of the only worker there is: what runs was interrupted. Answers how many jobs. */
  recover(): Promise<number>
}
