import { useQuery } from '@tanstack/react-query'
import { TriangleAlert } from 'lucide-react'
import { runningJobsQuery } from '../api/job-queries.ts'
import { useFailureSeen } from '../live/failure-seen.ts'
import { useLiveEvents } from '../live/live-events.ts'
import styles from './work.module.css'

/** The thin line at the top of each page while a job runs. */
export function Work() {
  useLiveEvents()
  const { running, share } = useWork()
  if (!running) return null
  const percent = share === undefined ? undefined : Math.floor(share * 100)
  return (
    <div className={styles.line} role="progressbar" aria-label={`Job ${running.id}, ${running.project}`} aria-valuenow={percent}>
      <div className={styles.done} data-unknown={percent === undefined} style={{ width: `${percent ?? 30}%` }} />
    </div>
  )
}

/** The number of unfinished jobs, red if one failed since the last visit of the queue. */
export function WorkBadge() {
  const { unfinished, hasFailed } = useWork()
  if (unfinished === 0 && !hasFailed) return null
  return (
    <span className={styles.badge} data-failed={hasFailed} aria-hidden>
      {unfinished > 0 ? shown(unfinished) : <TriangleAlert size={12} />}
    </span>
  )
}

const shown = (jobs: number): string => (jobs > 99 ? '99+' : String(jobs))

/** "Parse Queue", with the text of the badge. */
export function useQueueLabel(label: string): string {
  const { unfinished, hasFailed } = useWork()
  const jobs = unfinished > 0 ? `, ${shown(unfinished)} unfinished` : ''
  return `${label}${jobs}${hasFailed ? ', a job failed since your last visit' : ''}`
}

/** The work of the server, for the frame: `share` of the running job's files is done, undefined while that is unknown. */
function useWork() {
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
