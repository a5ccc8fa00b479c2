import '@mantine/charts/styles.layer.css'
import { BarChart } from '@mantine/charts'
import { ReferenceArea } from 'recharts'
import { utcDay } from '../../time/utc-day.ts'
import { formatCount, formatShort } from '../format.ts'
import { daysOf, formatDay, type ShownUsage, shortDay, shownUsage } from './shown-usage.ts'

const series = shownUsage.map(({ surface, label, color }) => ({ name: surface, label, color }))

/** Requests a day, stacked by surface. Days before anything is known are gaps, shaded. Loaded lazily, with its styles. */
export const UsageChart = ({ usage }: { usage: ShownUsage }) => (
  <BarChart
    h={240}
    data={daysOf(usage)}
    dataKey="date"
    type="stacked"
    series={series}
    tickLine="none"
    gridAxis="x"
    maxBarWidth={36}
    valueFormatter={formatCount}
    xAxisProps={{ tickFormatter: shortDay, minTickGap: 32 }}
    yAxisProps={{ tickFormatter: formatShort, allowDecimals: false, width: 44 }}
    // The tooltip has no label until a day is pointed at.
    tooltipProps={{ labelFormatter: (day) => (day ? formatDay(String(day)) : '') }}
    barProps={{ isAnimationActive: false }}
    barChartProps={{ accessibilityLayer: false }}
    role="img"
    aria-label={`Requests per day from ${formatDay(usage.from)} to ${formatDay(usage.to)}: ${formatCount(usage.period.total)} in total`}
  >
    {usage.since !== null && usage.since > usage.from && (
      <ReferenceArea x1={usage.from} x2={utcDay(usage.since, -1)} fill="var(--ink-soft)" fillOpacity={0.12} />
    )}
  </BarChart>
)
