import { TriangleAlert } from 'lucide-react'
import { useLiveEvents } from '../live/use-live-events.ts'
import { useWork } from '../live/use-work.ts'
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

/** "Queue", with the text of the badge. */
export function useQueueLabel(label: string): string {
  const { unfinished, hasFailed } = useWork()
  const jobs = unfinished > 0 ? `, ${shown(unfinished)} unfinished` : ''
  return `${label}${jobs}${hasFailed ? ', a job failed since your last visit' : ''}`
}
