import { Button, Group, SegmentedControl, Skeleton, Stack, Text } from '@mantine/core'
import { type UseQueryResult, useMutation } from '@tanstack/react-query'
import type { ClientResponse } from 'hono/client'
import { Download } from 'lucide-react'
import type { ReactNode } from 'react'
import { answerOf } from '../api/answer-of.ts'
import { EmptyState } from '../empty-state.tsx'
import { ErrorState } from '../error-state.tsx'
import { countOf } from '../format.ts'
import { MessageText } from '../message-text.tsx'
import { saveFile } from '../save-file.ts'
import type { ShownUsage } from './shown-usage.ts'
import type { Figure } from './usage-figures.tsx'
import { UsageOverview } from './usage-overview.tsx'
import { type Period, periods } from './usage-search.ts'

type UsageReportProps<Usage extends ShownUsage> = {
  usage: UseQueryResult<Usage>
  days: Period
  changeDays: (days: Period) => void
  /** The same usage as a file. */
  csv: () => Promise<ClientResponse<unknown>>
  figures: readonly Figure[]
  /** The link to the page that connects clients, for a library that nobody asked about. */
  connect: ReactNode
  /** Further filters. */
  filters?: ReactNode
  /** Further tables. */
  tables?: (usage: Usage) => ReactNode
}

/** The usage of a period: the choice of the period, a download, figures, the chart and tables. */
export function UsageReport<Usage extends ShownUsage>({
  usage,
  days,
  changeDays,
  csv,
  figures,
  connect,
  filters,
  tables,
}: UsageReportProps<Usage>) {
  const { data } = usage
  const download = useMutation({ mutationFn: () => saveCsv(csv()) })
  const isUnused = data !== undefined && requestsOf(data.total) === 0 && data.period.unanswered === 0
  return (
    <Stack gap="lg">
      <Group justify="space-between" align="flex-end" gap="sm">
        <Group gap="sm" align="flex-end">
          <SegmentedControl
            aria-label="Period"
            data={periods.map((each) => ({ value: String(each), label: countOf(each, 'day') }))}
            value={String(days)}
            onChange={(chosen) => changeDays(Number(chosen) as Period)}
          />
          {filters}
        </Group>
        <Button
          variant="default"
          leftSection={<Download size={16} aria-hidden />}
          loading={download.isPending}
          onClick={() => download.mutate()}
        >
          Download CSV
        </Button>
      </Group>
      {download.error && (
        <Text size="sm" c="var(--bad)" role="alert">
          <MessageText>{download.error.message}</MessageText>
        </Text>
      )}
      {usage.isLoadingError ? (
        <ErrorState error={usage.error} what="The usage cannot be loaded" retry={() => void usage.refetch()} />
      ) : !data ? (
        <>
          <Skeleton height={92} />
          <Skeleton height={272} />
          <Skeleton height={200} />
        </>
      ) : isUnused ? (
        <EmptyState picture="chart" title="No requests yet" action={connect}>
          Requests of agents appear here by day, client and topic.
        </EmptyState>
      ) : (
        <UsageOverview usage={data} figures={figures} more={tables?.(data)} />
      )}
    </Stack>
  )
}

const requestsOf = ({ mcp, cli, page, txt }: { mcp: number; cli: number; page: number; txt: number }) => mcp + cli + page + txt

async function saveCsv(call: Promise<ClientResponse<unknown>>): Promise<void> {
  const answer = await call
  if (!answer.ok) await answerOf(answer)
  const name = /filename="([^"]+)"/.exec(answer.headers.get('content-disposition') ?? '')?.[1]
  saveFile(await answer.blob(), name ?? 'carrel-usage.csv')
}
