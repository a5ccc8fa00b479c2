import { Skeleton } from '@mantine/core'
import styles from './queue.module.css'

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
