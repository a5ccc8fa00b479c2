import { utcDay } from '../../time/utc-day.ts'
import { formatCount } from '../format.ts'
import styles from './day-bars.module.css'
import { formatDay } from './shown-usage.ts'

type DayBarsProps = { from: string; counts: readonly number[]; label: string }

/** One bar per day, the highest of them over the whole height. It needs no chart library, so first pages can have it. `from`: the first day. */
export function DayBars({ from, counts, label }: DayBarsProps) {
  const highest = Math.max(1, ...counts)
  return (
    <div className={styles.bars} role="img" aria-label={label}>
      {counts.map((count, n) => (
        <div key={utcDay(from, n)} className={styles.day} title={`${formatDay(utcDay(from, n))}: ${formatCount(count)}`}>
          <div className={styles.bar} data-empty={count === 0} style={{ height: `${(count / highest) * 100}%` }} />
        </div>
      ))}
    </div>
  )
}
