import { useQuery } from '@tanstack/react-query'
import { runningJobsQuery } from '../api/job-queries.ts'
import { useFailureSeen } from './failure-seen.ts'

/** The work of the server, for the frame: `share` of the running job's files is done, undefined while that is unknown. */
export function useWork() {
  const { data } = useQuery(runningJobsQuery)
  const seen = useFailureSeen()
  const running = data?.jobs.find(({ state }) => state === 'parsing' || state === 'finalizing')
  return {
    unfinished: data?.unfinished ?? 0,
    hasFailed: (data?.lastFailedAt ?? '') > seen,
    running,
    share: running && running.filesTotal > 0 ? running.filesDone / running.filesTotal : undefined,
  }
}
