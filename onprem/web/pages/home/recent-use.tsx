import { Group, SimpleGrid, Skeleton, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { utcDay } from '../../../../shared/time/utc-day.ts'
import { formatCount } from '../../../../shared/web/format.ts'
import { TextLink } from '../../../../shared/web/link-button.tsx'
import { PageSection } from '../../../../shared/web/page-section.tsx'
import { DayBars } from '../../../../shared/web/usage/day-bars.tsx'
import { formatDay, type ShownUsage } from '../../../../shared/web/usage/shown-usage.ts'
import { commonFigures, UsageFigures } from '../../../../shared/web/usage/usage-figures.tsx'
import { ClientTable, TopicTable } from '../../../../shared/web/usage/usage-overview.tsx'
import { usageQuery } from '../../api/queries.ts'

const monthQuery = usageQuery({ days: 30, library: '' })

/** What agents asked in the last 30 days. Nothing is shown before the first question. */
export function RecentUse() {
  const { data, isPending } = useQuery(monthQuery)
  if (isPending) return <Skeleton height={360} />
  if (!data || data.period.total + data.period.unanswered === 0) return null
  return (
    <PageSection title="Questions in 30 days" action={<TextLink to="/usage">Usage</TextLink>}>
      <Stack gap="lg">
        <UsageFigures usage={data} figures={commonFigures} />
        <div>
          <DayBars
            from={data.from}
            counts={dailyTotals(data)}
            label={`Requests per day: ${formatCount(data.period.total)} in total`}
          />
          <Group justify="space-between" c="dimmed" fz="xs" mt={4} aria-hidden>
            <span>{formatDay(data.from)}</span>
            <span>{formatDay(data.to)}</span>
          </Group>
        </div>
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl">
          <ClientTable usage={data} maxRows={5} />
          <TopicTable usage={data} maxRows={5} />
        </SimpleGrid>
      </Stack>
    </PageSection>
  )
}

/** The requests of each day of the period. */
function dailyTotals({ from, days, daily }: ShownUsage): number[] {
  const totals = new Map(daily.map(({ date, mcp, cli, page, txt }) => [date, mcp + cli + page + txt]))
  return Array.from({ length: days }, (_, n) => totals.get(utcDay(from, n)) ?? 0)
}
