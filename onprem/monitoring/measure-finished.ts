import type { JobStore } from '../store/jobs/job-store.ts'
import type { Instruments } from './instruments.ts'

/** The same store, which counts the jobs that end. */
export const measureFinished = (jobs: JobStore, { jobsFinished }: Pick<Instruments, 'jobsFinished'>): JobStore => ({
  ...jobs,
  finish(id, end, record) {
    jobs.finish(id, end, record)
    jobsFinished.inc({ kind: jobs.get(id)?.kind ?? 'none', outcome: end.state })
  },
})
