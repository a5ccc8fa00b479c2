import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { formatCount } from '../../../../shared/web/format.ts'
import { LinkButton, TextLink } from '../../../../shared/web/link-button.tsx'
import { CountTable } from '../../../../shared/web/usage/count-table.tsx'
import { commonFigures } from '../../../../shared/web/usage/usage-figures.tsx'
import { UsageReport } from '../../../../shared/web/usage/usage-report.tsx'
import type { Period } from '../../../../shared/web/usage/usage-search.ts'
import { type UsageAnswer, type UsageRequest, usageCsv, usageQuery } from '../../api/queries.ts'

type UsageContentProps = {
  request: UsageRequest
  changeDays: (days: Period) => void
  /** Further filters. */
  filters?: ReactNode
}

/** The usage of a period: of all libraries or of one. */
export function UsageContent({ request, changeDays, filters }: UsageContentProps) {
  const usage = useQuery(usageQuery(request))
  return (
    <UsageReport
      usage={usage}
      days={request.days}
      changeDays={changeDays}
      csv={() => usageCsv(request)}
      figures={commonFigures}
      connect={<LinkButton to="/connect">Connect a client</LinkButton>}
      filters={filters}
      {...(request.library === '' && { tables: libraryTable })}
    />
  )
}

const libraryTable = ({ libraries }: UsageAnswer) => (
  <CountTable
    title="Libraries"
    name="Library"
    counts={['Requests', 'Over MCP']}
    rows={libraries.map(({ libraryId, title, total, mcp }) => ({
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
