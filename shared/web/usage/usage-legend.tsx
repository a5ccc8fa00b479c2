import { formatCount, formatShare } from '../format-count.ts'
import { type ShownUsage, shownUsage } from './shown-usage.ts'
import styles from './usage.module.css'

/** The colours of the chart with the requests of each surface, in the chart's order. */
export const UsageLegend = ({ usage: { period } }: { usage: ShownUsage }) => (
  <ul className={styles.legend} aria-label="Requests by surface">
    {shownUsage.map(({ surface, label }) => (
      <li key={surface}>
        <span className={styles.swatch} data-surface={surface} aria-hidden />
        {label} <strong>{formatCount(period[surface])}</strong>
        {period.total > 0 && <span className={styles.soft}>{formatShare(period[surface] / period.total)}</span>}
      </li>
    ))}
  </ul>
)
