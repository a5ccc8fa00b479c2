import { Text } from '@mantine/core'
import { formatCount, formatShare } from '../format.ts'
import { formatAnswerTime, type ShownUsage, type UsageTotals } from './shown-usage.ts'
import styles from './usage.module.css'

/** `of`: null if there is nothing to measure. Shares are compared in points. */
export type Figure = { label: string; of(totals: UsageTotals): number | null; unit?: 'share' | 'ms' }

export const commonFigures: readonly Figure[] = [
  { label: 'Requests', of: ({ total }) => total },
  { label: 'Requests over MCP', of: ({ mcp }) => mcp },
  { label: 'MCP users a day', of: ({ mcpUsersPerDay }) => mcpUsersPerDay },
  { label: 'Questions answered', of: ({ shareAnswered }) => shareAnswered, unit: 'share' },
  { label: 'Questions declined', of: ({ shareDeclined }) => shareDeclined, unit: 'share' },
  { label: 'Answer time (95%)', of: ({ answerMs }) => answerMs?.p95 ?? null, unit: 'ms' },
]
const number = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 })

type UsageFiguresProps = { usage: ShownUsage; figures: readonly Figure[] }

/** Figures with their change against the period before. */
export const UsageFigures = ({ usage: { period, previous, days }, figures }: UsageFiguresProps) => (
  <div>
    <dl className={styles.figures}>
      {figures.map(({ label, of, unit }) => (
        <div key={label} className={styles.figure}>
          <dt>{label}</dt>
          <dd className={styles.value}>{formatFigure(of(period), unit)}</dd>
          {previous && <dd className={styles.change}>{changeText(of(period), of(previous), { days, unit })}</dd>}
        </div>
      ))}
    </dl>
    {!previous && (
      <Text size="xs" c="dimmed" mt={4}>
        There are no {formatCount(days)} days before to compare with.
      </Text>
    )}
  </div>
)

const percent = new Intl.NumberFormat(undefined, { style: 'percent', signDisplay: 'exceptZero', maximumFractionDigits: 0 })

function changeText(now: number | null, before: number | null, { days, unit }: { days: number; unit: Figure['unit'] }): string {
  const period = `the ${formatCount(days)} days before`
  if (before === null || (before === 0 && unit !== 'share')) return now === before ? `As in ${period}` : `None in ${period}`
  if (now === null) return `${formatFigure(before, unit)} in ${period}`
  return unit === 'share'
    ? `${points.format((now - before) * 100)} points against ${period}`
    : `${percent.format(now / before - 1)} against ${period}`
}

const points = new Intl.NumberFormat(undefined, { signDisplay: 'exceptZero', maximumFractionDigits: 0 })

function formatFigure(value: number | null, unit: Figure['unit']): string {
  if (value === null) return '–'
  if (unit === 'share') return formatShare(value)
  return unit === 'ms' ? formatAnswerTime(value) : number.format(value)
}
