import { Skeleton, Stack, Text } from '@mantine/core'
import { type ReactNode, Suspense } from 'react'
import { formatCount, formatShare } from '../format.ts'
import { lazyPart } from '../lazy-part.ts'
import { Answers } from './answers.tsx'
import { ChartLegend } from './chart-legend.tsx'
import { CountTable } from './count-table.tsx'
import { countryName } from './country-name.ts'
import { formatDay, type ShownUsage, shownUsage } from './shown-usage.ts'
import styles from './usage.module.css'
import { type Figure, UsageFigures } from './usage-figures.tsx'

const UsageChart = lazyPart(async () => ({ default: (await import('./usage-chart.tsx')).UsageChart }))
const CountryMap = lazyPart(async () => ({ default: (await import('./country-map.tsx')).CountryMap }))
const decimal = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 })

type UsageOverviewProps = { usage: ShownUsage; figures: readonly Figure[]; more?: ReactNode }

/** Figures, the chart and the tables of a period, and the map. `more`: further tables. */
export const UsageOverview = ({ usage, figures, more }: UsageOverviewProps) => (
  <Stack gap="lg">
    <UsageFigures usage={usage} figures={figures} />
    <RequestsByDay usage={usage} />
    {usage.period.questions > 0 && <Answers usage={usage} />}
    <div className={styles.tables}>
      <CountTable
        title="Surfaces"
        name="Surface"
        counts={['Requests', 'Before', 'Of all time']}
        rows={surfacesOf(usage)}
        none=""
      />
      <ClientTable usage={usage} />
      {more}
      <TopicTable usage={usage} />
    </div>
    {usage.countries.length > 0 && <Countries usage={usage} />}
  </Stack>
)

/** The chart with its colours, and the day before which nothing is known. */
const RequestsByDay = ({ usage }: { usage: ShownUsage }) => (
  <div>
    <Suspense fallback={<Skeleton height={240} />}>
      <UsageChart usage={usage} />
    </Suspense>
    <ChartLegend
      label="Requests by surface"
      series={shownUsage.map(({ surface, label }) => ({
        key: surface,
        label,
        value: formatCount(usage.period[surface]),
        share: usage.period.total > 0 ? formatShare(usage.period[surface] / usage.period.total) : undefined,
      }))}
    />
    {usage.since !== null && usage.since > usage.from && (
      <Text size="xs" c="dimmed" mt={4}>
        No data before {formatDay(usage.since)}.
      </Text>
    )}
  </div>
)

type TableProps = { usage: ShownUsage; maxRows?: number }

/** The MCP clients that asked, by their users a day. */
export const ClientTable = ({ usage, maxRows }: TableProps) => (
  <CountTable
    title="MCP clients"
    about="Unique users of a day. They are not recognized on the next day."
    name="Client"
    counts={['Average', 'Busiest day']}
    rows={clientsOf(usage)}
    none="No MCP client asked in these days."
    maxRows={maxRows}
  />
)

/** What the answers were about. */
export const TopicTable = ({ usage: { topics, topicsFrom }, maxRows }: TableProps) => (
  <CountTable
    title="Topics"
    about={topicsFrom === null ? 'Of all time, by the pages that answered' : 'By the pages that answered'}
    name="Topic"
    counts={['Requests']}
    rows={topics.map(({ topic, count }) => ({ key: topic, name: topic, counts: [formatCount(count)] }))}
    none={topicsFrom === null ? 'No topics yet.' : 'No page answered in these days.'}
    maxRows={maxRows}
  />
)

const Countries = ({ usage: { countries } }: { usage: ShownUsage }) => (
  <div className={styles.countries}>
    <CountTable
      title="Countries"
      about="Of all time, by the address of the request"
      name="Country"
      counts={['Requests']}
      rows={countries.map(({ country, count }) => ({
        key: country,
        name: countryName(country),
        counts: [formatCount(count)],
      }))}
      none=""
    />
    <Suspense fallback={<Skeleton height={320} />}>
      <CountryMap countries={countries} />
    </Suspense>
  </div>
)

const surfacesOf = ({ period, previous, total }: ShownUsage) =>
  shownUsage.map(({ surface, label }) => ({
    key: surface,
    name: label,
    counts: [formatCount(period[surface]), previous ? formatCount(previous[surface]) : '–', formatCount(total[surface])],
  }))

function clientsOf({ mcpClients, daily }: ShownUsage) {
  const counts = new Map<string, number[]>()
  for (const { uniqueUsersByClient } of mcpClients.dailyData)
    for (const [client, users] of Object.entries(uniqueUsersByClient)) counts.set(client, [...(counts.get(client) ?? []), users])
  return [...counts]
    .map(([client, users]) => ({ client, sum: users.reduce((all, each) => all + each, 0), max: Math.max(...users) }))
    .sort((a, b) => b.sum - a.sum)
    .map(({ client, sum, max }) => ({
      key: client,
      name: client,
      counts: [decimal.format(sum / Math.max(1, daily.length)), formatCount(max)],
    }))
}
