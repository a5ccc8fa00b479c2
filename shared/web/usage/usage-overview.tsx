import { Skeleton, Stack, Text } from '@mantine/core'
import { lazy, type ReactNode, Suspense } from 'react'
import { formatCount, formatShare } from '../format.ts'
import { CountTable } from './count-table.tsx'
import { formatDay, type ShownUsage, shownUsage } from './shown-usage.ts'
import styles from './usage.module.css'
import { UsageFigures } from './usage-figures.tsx'

const UsageChart = lazy(async () => ({ default: (await import('./usage-chart.tsx')).UsageChart }))
const maxRows = 10
const countries = new Intl.DisplayNames(undefined, { type: 'region' })
const decimal = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 })

/** Figures, the chart and the tables of a period. `more`: further tables. */
export const UsageOverview = ({ usage, more }: { usage: ShownUsage; more?: ReactNode }) => (
  <Stack gap="lg">
    <UsageFigures usage={usage} />
    <div>
      <Suspense fallback={<Skeleton height={240} />}>
        <UsageChart usage={usage} />
      </Suspense>
      <UsageLegend usage={usage} />
      {usage.since !== null && usage.since > usage.from && (
        <Text size="xs" c="dimmed" mt={4}>
          No data before {formatDay(usage.since)}.
        </Text>
      )}
    </div>
    <div className={styles.tables}>
      <CountTable
        title="MCP clients"
        about="Unique users of a day. They are not recognized on the next day."
        name="Client"
        counts={['Average', 'Busiest day']}
        rows={clientsOf(usage)}
        none="No MCP client asked in these days."
      />
      {more}
      <CountTable
        title="Topics"
        about="Of all time, by the pages that answered"
        name="Topic"
        counts={['Requests']}
        rows={usage.topics
          .slice(0, maxRows)
          .map(({ topic, count }) => ({ key: topic, name: topic, counts: [formatCount(count)] }))}
        none="No topics yet."
      />
      {usage.countries.length > 0 && (
        <CountTable
          title="Countries"
          about="Of all time"
          name="Country"
          counts={['Requests']}
          rows={usage.countries
            .slice(0, maxRows)
            .map(({ country, count }) => ({ key: country, name: countryName(country), counts: [formatCount(count)] }))}
          none=""
        />
      )}
    </div>
  </Stack>
)

function clientsOf({ mcpClients, daily }: ShownUsage) {
  const counts = new Map<string, number[]>()
  for (const { uniqueUsersByClient } of mcpClients.dailyData)
    for (const [client, users] of Object.entries(uniqueUsersByClient)) counts.set(client, [...(counts.get(client) ?? []), users])
  return [...counts]
    .map(([client, users]) => ({ client, sum: users.reduce((all, each) => all + each, 0), max: Math.max(...users) }))
    .sort((a, b) => b.sum - a.sum)
    .slice(0, maxRows)
    .map(({ client, sum, max }) => ({
      key: client,
      name: client,
      counts: [decimal.format(sum / Math.max(1, daily.length)), formatCount(max)],
    }))
}

function countryName(code: string): string {
  try {
    return countries.of(code) ?? code
  } catch {
    return code
  }
}

/** The colours of the chart with the requests of each surface, in the chart's order. */
const UsageLegend = ({ usage: { period } }: { usage: ShownUsage }) => (
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
