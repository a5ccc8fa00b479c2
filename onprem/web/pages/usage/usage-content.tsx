import { Button, Group, SegmentedControl, Skeleton, Stack, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import type { ReactNode } from 'react'
import { EmptyState } from '../../../../shared/web/empty-state.tsx'
import { ErrorState } from '../../../../shared/web/error-state.tsx'
import { countOf, formatCount } from '../../../../shared/web/format.ts'
import { LinkButton, TextLink } from '../../../../shared/web/link-button.tsx'
import { CountTable } from '../../../../shared/web/usage/count-table.tsx'
import { UsageOverview } from '../../../../shared/web/usage/usage-overview.tsx'
import { answerOf } from '../../api/api.ts'
import { type UsageRequest, usageCsv, usageQuery } from '../../api/queries.ts'
import { saveFile } from '../settings/save-file.ts'
import { type Period, periods } from './usage-search.ts'

type UsageContentProps = {
  request: UsageRequest
  changeDays: (days: Period) => void
  /** Further filters. */
  filters?: ReactNode
}

/** The usage of a period: of all libraries or of one. */
export function UsageContent({ request, changeDays, filters }: UsageContentProps) {
  const usage = useQuery(usageQuery(request))
  const { data } = usage
  const download = useMutation({ mutationFn: () => saveCsv(request) })
  const isUnused = data !== undefined && requestsOf(data.total) === 0 && data.period.unanswered === 0
  return (
    <Stack gap="lg">
      <Group justify="space-between" align="flex-end" gap="sm">
        <Group gap="sm" align="flex-end">
          <SegmentedControl
            aria-label="Period"
            data={periods.map((days) => ({ value: String(days), label: countOf(days, 'day') }))}
            value={String(request.days)}
            onChange={(days) => changeDays(Number(days) as Period)}
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
          {download.error.message}
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
        <EmptyState title="No requests yet" action={<LinkButton to="/connect">Connect a client</LinkButton>}>
          Requests of agents appear here by day, client and topic.
        </EmptyState>
      ) : (
        <UsageOverview
          usage={data}
          more={
            request.library === '' && (
              <CountTable
                title="Libraries"
                name="Library"
                counts={['Requests', 'Over MCP']}
                rows={data.libraries.slice(0, maxLibraries).map(({ libraryId, title, total, mcp }) => ({
                  key: libraryId,
                  name: (
                    <TextLink to="/libraries/$" params={{ _splat: libraryId.slice(1) }} search={{ tab: 'usage' }}>
                      {title}
                    </TextLink>
                  ),
                  counts: [formatCount(total), formatCount(mcp)],
                }))}
                none="No library was asked in these days."
              />
            )
          }
        />
      )}
    </Stack>
  )
}

const maxLibraries = 20

const requestsOf = ({ mcp, cli, page, txt }: { mcp: number; cli: number; page: number; txt: number }) => mcp + cli + page + txt

async function saveCsv(request: UsageRequest): Promise<void> {
  const answer = await usageCsv(request)
  if (!answer.ok) await answerOf(Promise.resolve(answer))
  const name = /filename="([^"]+)"/.exec(answer.headers.get('content-disposition') ?? '')?.[1]
  saveFile(await answer.blob(), name ?? 'carrel-usage.csv')
}
