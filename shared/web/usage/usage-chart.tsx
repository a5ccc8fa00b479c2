import '@mantine/charts/styles.layer.css'
import { BarChart } from '@mantine/charts'
import { formatCount, formatShort } from '../format.ts'
import { daysOf, formatDay, type ShownUsage, shortDay, shownUsage } from './shown-usage.ts'
import { unknownDays } from './unknown-days.tsx'

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
    {unknownDays(usage)}
  </BarChart>
)
