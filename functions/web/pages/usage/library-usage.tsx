import { NativeSelect, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { ApiError } from '../../../../shared/web/api/api-error.ts'
import { EmptyState } from '../../../../shared/web/empty-state.tsx'
import { LinkButton } from '../../../../shared/web/link-button.tsx'
import { MessageText } from '../../../../shared/web/message-text.tsx'
import { commonFigures } from '../../../../shared/web/usage/usage-figures.tsx'
import { UsageReport } from '../../../../shared/web/usage/usage-report.tsx'
import type { Period } from '../../../../shared/web/usage/usage-search.ts'
import { libraryQuery } from '../../api/library-queries.ts'
import { useTeam } from '../../api/use-team.ts'
import { isAtLeast } from '../../frame/pages-of.ts'
import { ApiCall } from './api-call.tsx'
import { libraryUsageCsv, libraryUsageQuery } from './usage-calls.ts'

type Library = { owner: string; repo: string }

/** The usage of one library: of all requests, or of those that named a version. The address of the page has the period and the version. */
export function LibraryUsage({ owner, repo }: Library) {
  const { id: team } = useTeam()
  const { days, version } = useSearch({ from: '/signed-in/frame/teamspaces/$team/libraries/$owner/$repo' })
  const navigate = useNavigate({ from: '/teamspaces/$team/libraries/$owner/$repo' })
  const change = (changes: { days: Period } | { version: string }) =>
    void navigate({ search: (before) => ({ ...before, ...changes }) })
  const request = { team, owner, repo, days, version }
  const usage = useQuery(libraryUsageQuery(request))
  if (usage.error instanceof ApiError && usage.error.code === 'access_denied')
    return (
      <EmptyState
        picture="chart"
        title="Only its owner sees the usage of a library"
        action={<ClaimLink owner={owner} repo={repo} />}
      >
        <MessageText>{usage.error.message}</MessageText>
      </EmptyState>
    )
  return (
    <Stack gap="lg">
      <UsageReport
        usage={usage}
        days={days}
        changeDays={(chosen) => change({ days: chosen })}
        csv={() => libraryUsageCsv(request)}
        figures={commonFigures}
        connect={
          <LinkButton to="/teamspaces/$team/keys" params={{ team }}>
            Create a key
          </LinkButton>
        }
        filters={<VersionFilter library={{ owner, repo }} value={version} onChange={(chosen) => change({ version: chosen })} />}
      />
      {usage.data && <ApiCall url={usage.data.apiUrl} />}
    </Stack>
  )
}

function ClaimLink({ owner, repo }: Library) {
  const { id: team, role } = useTeam()
  if (!isAtLeast(role, 'admin')) return null
  return (
    <LinkButton to="/teamspaces/$team/libraries/$owner/$repo" params={{ team, owner, repo }} search={{ tab: 'ownership' }}>
      Show ownership
    </LinkButton>
  )
}

type VersionFilterProps = { library: Library; value: string; onChange: (version: string) => void }

function VersionFilter({ library, value, onChange }: VersionFilterProps) {
  const { id: team } = useTeam()
  const { data } = useQuery(libraryQuery({ team, ...library }))
  // A version that was deleted meanwhile stays chosen, and the error says that it is gone.
  const versions = new Set([...(data?.tags ?? []), ...(value === '' ? [] : [value])])
  if (versions.size === 0) return null
  return (
    <NativeSelect
      aria-label="Version"
      data={[{ value: '', label: 'All versions' }, ...versions]}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}
