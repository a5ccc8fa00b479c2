import type { QueryClient } from '@tanstack/react-query'
import type { Job, JobList } from '../api/job-queries.ts'

/** Puts the new state of a job into all cached answers. Returns whether lists must be read again, because the job is new or in another state. */
export function applyJob(queryClient: QueryClient, job: Job): boolean {
  let before: Job | undefined
  for (const [queryKey, list] of queryClient.getQueriesData<JobList>({ queryKey: ['jobs', 'list'] })) {
    const known = list?.jobs.find(({ id }) => id === job.id)
    if (!list || !known) continue
    before = known
    const jobs = list.jobs.map((each) => (each.id === job.id ? merged(each, job) : each))
    queryClient.setQueryData<JobList>(queryKey, { ...list, jobs })
  }
  queryClient.setQueryData<Job>(['jobs', 'one', job.id], (one) => one && merged(one, job))
  return before?.state !== job.state
}

/** Callers without a session get events without reports. */
const merged = (before: Job, { report, ...after }: Job): Job => ({ ...before, ...after, report: report ?? before.report })
