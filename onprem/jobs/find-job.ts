import { AppError } from '../../shared/errors.ts'
import type { Job } from '../store/jobs/job.ts'
import type { JobStore } from '../store/jobs/job-store.ts'

/** Throws not_found. */
export function findJob({ jobs }: { jobs: Pick<JobStore, 'get'> }, id: number): Job {
  const job = jobs.get(id)
  if (!job) throw new AppError('not_found', `There is no job ${id}.`)
  return job
}
