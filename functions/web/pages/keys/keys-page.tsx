import { Skeleton } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { answerOf } from '../../../../shared/web/api/answer-of.ts'
import { DayAgo } from '../../../../shared/web/day-ago.tsx'
import { EmptyState } from '../../../../shared/web/empty-state.tsx'
import { ErrorState } from '../../../../shared/web/error-state.tsx'
import { countOf } from '../../../../shared/web/format.ts'
import { KeyTable } from '../../../../shared/web/keys/key-table.tsx'
import { Page } from '../../../../shared/web/page.tsx'
import { api } from '../../api/api.ts'
import { type TeamKey, teamKeysQuery } from '../../api/teamspace-queries.ts'
import { useSession } from '../../api/use-session.ts'
import { useTeam } from '../../api/use-team.ts'
import { isAtLeast } from '../../frame/pages-of.ts'
import { NewTeamKeyButton } from '../../keys/new-team-key-button.tsx'
import { scopeTexts } from '../../keys/scopes.ts'
import { usePeople } from '../../teamspace/people.ts'
import { roleTexts } from '../../teamspace/roles.ts'

/** The API keys of a teamspace that were not revoked. */
export function KeysPage() {
  const { id } = useTeam()
  const keys = useQuery(teamKeysQuery(id))
  const valid = keys.data?.filter(({ revokedAt }) => revokedAt === null)
  return (
    <Page
      title="API keys"
      facts={valid && valid.length > 0 ? countOf(valid.length, 'key') : 'Agents and scripts sign in with a key.'}
      action={<NewTeamKeyButton />}
    >
      {keys.isLoadingError ? (
        <ErrorState error={keys.error} what="The keys cannot be loaded" retry={() => void keys.refetch()} />
      ) : !valid ? (
        <Skeleton height={160} />
      ) : valid.length === 0 ? (
        <EmptyState title="No keys yet">
          An agent with a key finds the private libraries of this teamspace, follows its policy and rules, and has its limits.
        </EmptyState>
      ) : (
        <KeyList keys={valid} />
      )}
    </Page>
  )
}

function KeyList({ keys }: { keys: TeamKey[] }) {
  const { id: team, role } = useTeam()
  const { user } = useSession()
  const nameOf = usePeople(team)
  const queryClient = useQueryClient()
  const revoke = async (id: string) => {
    await answerOf(api.teamspaces[':team'].keys[':id'].$delete({ param: { team, id } }))
    await queryClient.invalidateQueries({ queryKey: teamKeysQuery(team).queryKey })
  }
  const shown = keys.map((key) => ({
    ...key,
    expiresAt: key.expiresAt ?? null,
    lastUse: key.usedDay && <DayAgo day={key.usedDay} />,
    note: [
      key.holder === null ? 'The operator' : nameOf(key.holder),
      scopeTexts[key.scope].label,
      roleTexts[key.role].label,
    ].join(' · '),
    mayRevoke: isAtLeast(role, 'admin') || key.holder === user.id,
  }))
  return <KeyTable keys={shown} revoke={revoke} />
}
