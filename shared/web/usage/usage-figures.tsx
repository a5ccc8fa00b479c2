import { Text } from '@mantine/core'
import { formatCount } from '../format.ts'
import type { ShownUsage, UsageTotals } from './shown-usage.ts'
import styles from './usage.module.css'

export type Figure = { label: string; of(totals: UsageTotals): number }

export const commonFigures: readonly Figure[] = [
  { label: 'Requests', of: ({ total }) => total },
  { label: 'Requests over MCP', of: ({ mcp }) => mcp },
  { label: 'MCP users a day, on average', of: ({ mcpUsersPerDay }) => mcpUsersPerDay },
]
const number = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 })

type UsageFiguresProps = { usage: ShownUsage; figures: readonly Figure[] }

/** Figures with their change against the period before. */
export const UsageFigures = ({ usage: { period, previous, days }, figures }: UsageFiguresProps) => (
  <dl className={styles.figures}>
    {figures.map(({ label, of }) => (
      <div key={label} className={styles.figure}>
        <dt>{label}</dt>
        <dd className={styles.value}>{number.format(of(period))}</dd>
        <dd>
          <Text size="xs" c="dimmed" component="span">
            {previous ? changeText(of(period), of(previous), days) : 'No earlier period to compare'}
          </Text>
        </dd>
      </div>
    ))}
  </dl>
)

const percent = new Intl.NumberFormat(undefined, { style: 'percent', signDisplay: 'exceptZero', maximumFractionDigits: 0 })

function changeText(now: number, before: number, days: number): string {
  const period = `the ${formatCount(days)} days before`
  if (before === 0) return now === 0 ? `As in ${period}` : `None in ${period}`
  return `${percent.format(now / before - 1)} against ${period}`
}
