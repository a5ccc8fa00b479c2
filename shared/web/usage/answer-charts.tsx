import '@mantine/charts/styles.layer.css'
import { BarChart, LineChart } from '@mantine/charts'
import { formatCount, formatShare, formatShort } from '../format.ts'
import { daysOf, formatAnswerTime, formatDay, type ShownUsage, shortDay, shownOutcomes, shownPercentiles } from './shown-usage.ts'
import { unknownDays } from './unknown-days.tsx'

const common = {
  h: 180,
  dataKey: 'date',
  tickLine: 'none',
  gridAxis: 'x',
  xAxisProps: { tickFormatter: shortDay, minTickGap: 32 },
  // The tooltip has no label until a day is pointed at.
  tooltipProps: { labelFormatter: (day: unknown) => (day ? formatDay(String(day)) : '') },
  role: 'img',
} as const

const outcomes = shownOutcomes.map(({ outcome, label, color }) => ({ name: outcome, label, color }))
const percentiles = shownPercentiles.map(({ percentile, label, color }) => ({ name: percentile, label, color }))

/** Questions a day, stacked by outcome. Loaded lazily, with its styles. */
export const OutcomeChart = ({ usage }: { usage: ShownUsage }) => (
  <BarChart
    {...common}
    data={daysOf(usage)}
    type="stacked"
    series={outcomes}
    maxBarWidth={36}
    valueFormatter={formatCount}
    yAxisProps={{ tickFormatter: formatShort, allowDecimals: false, width: 44 }}
    barProps={{ isAnimationActive: false }}
    barChartProps={{ accessibilityLayer: false }}
    aria-label={`Questions per day: ${formatShare(usage.period.shareAnswered ?? 0)} of ${formatCount(usage.period.questions)} answered`}
  >
    {unknownDays(usage)}
  </BarChart>
)

/** The percentiles of the answer time a day. */
export const AnswerTimeChart = ({ usage }: { usage: ShownUsage }) => (
  <LineChart
    {...common}
    data={daysOf(usage).map(({ date, answerMs }) => ({ date, ...answerMs }))}
    series={percentiles}
    curveType="linear"
    connectNulls
    strokeWidth={1.5}
    dotProps={{ r: 2 }}
    valueFormatter={formatAnswerTime}
    yAxisProps={{ tickFormatter: formatAnswerTime, width: 60 }}
    lineProps={{ isAnimationActive: false }}
    lineChartProps={{ accessibilityLayer: false }}
    aria-label={`Answer time per day: 95% within ${formatAnswerTime(usage.period.answerMs?.p95 ?? 0)}`}
  >
    {unknownDays(usage)}
  </LineChart>
)
