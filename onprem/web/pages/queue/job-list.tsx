import { Skeleton } from '@mantine/core'
import { useRef } from 'react'
import { useShortcut } from '../../../../shared/web/shortcuts.ts'
import type { Job } from '../../api/job-queries.ts'
import { JobRow } from './job-row.tsx'
import styles from './queue.module.css'

type JobListProps = { jobs: Job[]; opened: number | undefined; open: (job: number | undefined) => void }

export function JobList({ jobs, opened, open }: JobListProps) {
  const list = useRef<HTMLUListElement>(null)
  const move = (by: 1 | -1) => {
    const rows = [...(list.current?.querySelectorAll<HTMLElement>('button[aria-expanded]') ?? [])]
    const at = rows.indexOf(document.activeElement as HTMLElement)
    rows[at < 0 ? 0 : Math.min(rows.length - 1, Math.max(0, at + by))]?.focus()
  }
  useShortcut('next', () => move(1))
  useShortcut('previous', () => move(-1))
  // Escape closes a dialog first.
  useShortcut('close', () => document.querySelector('[role="dialog"], dialog[open]') || open(undefined))
  return (
    <ul ref={list} className={styles.list} aria-label="Jobs">
      {jobs.map((job) => (
        <JobRow key={job.id} job={job} isOpen={job.id === opened} toggle={() => open(job.id === opened ? undefined : job.id)} />
      ))}
    </ul>
  )
}

const rows = Array.from({ length: 8 }, (_, row) => row)

export const JobListSkeleton = () => (
  <ul className={styles.list} aria-label="Loading jobs" aria-busy>
    {rows.map((row) => (
      <li key={row} className={styles.job}>
        <div className={styles.row}>
          <Skeleton height={16} width={84} />
          <Skeleton height={16} width={`${60 - row * 4}%`} />
          <Skeleton height={16} width={64} />
        </div>
      </li>
    ))}
  </ul>
)
