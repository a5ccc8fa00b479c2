import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { formatCount } from '../../../../shared/web/format.ts'
import { LinkButton, TextLink } from '../../../../shared/web/link-button.tsx'
import { Page } from '../../../../shared/web/page.tsx'
import { CountTable } from '../../../../shared/web/usage/count-table.tsx'
import { commonFigures, type Figure } from '../../../../shared/web/usage/usage-figures.tsx'
import { UsageReport } from '../../../../shared/web/usage/usage-report.tsx'
import { useTeam } from '../../api/use-team.ts'
import { type TeamUsage, teamUsageCsv, teamUsageQuery } from './usage-calls.ts'

const figures: readonly Figure[] = [...commonFigures, { label: 'Libraries with requests', of: ({ libraries }) => libraries }]

/** The usage of all libraries that the teamspace owns. */
export function UsagePage() {
  const { id: team } = useTeam()
  const { days } = useSearch({ from: '/signed-in/frame/teamspaces/$team/usage' })
  const navigate = useNavigate({ from: '/teamspaces/$team/usage' })
  const request = { team, days }
  return (
    <Page title="Usage" facts="All libraries that this teamspace owns. A user of several libraries counts once for each.">
      <UsageReport
        usage={useQuery(teamUsageQuery(request))}
        days={days}
        changeDays={(chosen) => void navigate({ search: { days: chosen } })}
        csv={() => teamUsageCsv(request)}
        figures={figures}
        connect={
          <LinkButton to="/teamspaces/$team/libraries" params={{ team }}>
            Show libraries
          </LinkButton>
        }
        tables={(usage) => <UsedLibraries team={team} usage={usage} />}
      />
    </Page>
  )
}

const UsedLibraries = ({ team, usage: { libraries } }: { team: string; usage: TeamUsage }) => {
  const named = Map.groupBy(libraries, ({ title }) => title)
  return (
    <CountTable
      title="Libraries"
      name="Library"
      counts={['Requests', 'Over MCP']}
      rows={libraries.map(({ libraryId, title, total, mcp }) => {
        return {
          key: libraryId,
          name: (
            <TextLink
              to="/teamspaces/$team/libraries/$owner/$repo"
              params={{ team, ...pathOf(libraryId) }}
              search={{ tab: 'usage' }}
            >
              {named.get(title)?.length === 1 ? title : `${title} (${libraryId})`}
            </TextLink>
          ),
          counts: [formatCount(total), formatCount(mcp)],
        }
      })}
      none="No library was asked in these days."
    />
  )
}

const pathOf = (libraryId: string) => {
  const [, owner = '', repo = ''] = libraryId.split('/')
  return { owner, repo }
}
