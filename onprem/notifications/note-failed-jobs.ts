import type { JobStore } from '../store/jobs/job-store.ts'
import type { Notifications } from './notifications.ts'

/** The same job store, which notes each failed job in the transaction that records its end. */
export const noteFailedJobs = (jobs: JobStore, { note }: Pick<Notifications, 'note'>): JobStore => ({
  ...jobs,
  finish(id, end, record) {
    jobs.finish(id, end, () => {
      record?.()
      if (end.state !== 'failed') return
      const { project = '', kind = 'parse' } = jobs.get(id) ?? {}
      note('job-failed', project, `Job ${id} (${kindWords[kind]}) failed: ${end.error ?? 'its log says why.'}`)
    })
  },
})

const kindWords = { parse: 'refresh', import: 'import', reindex: 're-index' } as const
