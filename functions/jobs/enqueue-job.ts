import type { HostedJobs } from './hosted-jobs.ts'
import type { JobQueue } from './job-queue.ts'

export type EnqueuePorts = { jobs: Pick<HostedJobs, 'enqueue'>; queue: JobQueue }

/** Stores a job and wakes a worker for it. Throws job_active. */
export async function enqueueJob({ jobs, queue }: EnqueuePorts, job: Parameters<HostedJobs['enqueue']>[0]): Promise<void> {
  await jobs.enqueue(job)
  await queue.send(job.key)
}
