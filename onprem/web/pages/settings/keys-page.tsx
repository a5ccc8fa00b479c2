import { Skeleton } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { answerOf } from '../../../../shared/web/api/answer-of.ts'
import { EmptyState } from '../../../../shared/web/empty-state.tsx'
import { ErrorState } from '../../../../shared/web/error-state.tsx'
import { KeyTable } from '../../../../shared/web/keys/key-table.tsx'
import { SettingsSection } from '../../../../shared/web/settings/settings-section.tsx'
import { TimeAgo } from '../../../../shared/web/time-ago.tsx'
import { api } from '../../api/api.ts'
import { keyQuery } from '../../api/queries.ts'
import { keyLimits } from '../../keys/key-limits.ts'

/** The keys of all users and of the install. */
export function KeysPage() {
  const queryClient = useQueryClient()
  const keys = useQuery(keyQuery)
  const revoke = async (id: string) => {
    await answerOf(api.keys[':id'].$delete({ param: { id } }))
    await queryClient.invalidateQueries({ queryKey: keyQuery.queryKey })
  }
  return (
    <SettingsSection
      title="API Keys"
      about="Keys of all users and of the install. A key has the rights that its user has when it is used. Users create their own on the page Personal Settings."
    >
      {keys.isLoadingError ? (
        <ErrorState error={keys.error} what="The keys cannot be loaded" retry={() => void keys.refetch()} />
      ) : !keys.data ? (
        <Skeleton height={160} />
      ) : keys.data.total === 0 ? (
        <EmptyState title="No keys yet">Agents and scripts sign in with a key. Nobody has created one.</EmptyState>
      ) : (
        <KeyTable keys={keys.data.keys.map(shownKey)} revoke={revoke} />
      )}
    </SettingsSection>
  )
}

type Key = Awaited<ReturnType<NonNullable<typeof keyQuery.queryFn>>>['keys'][number]

const rightsOf = (role: Key['role'], scope: Key['scope']): string => {
  if (scope === 'read') return 'only reads'
  return role === 'admin' && scope !== 'add' ? 'can do everything' : 'searches, adds and refreshes'
}

const shownKey = ({ owner, role, lastUsedAt, ...key }: Key) => ({
  ...key,
  note: [
    `${owner ? `Of ${owner.username}` : 'Of the install'}, ${role === 'admin' ? 'an admin' : 'a member'}: ${rightsOf(role, key.scope)}`,
    ...keyLimits({ ...key, scope: null }),
  ].join(', '),
  lastUse: lastUsedAt && <TimeAgo time={lastUsedAt} />,
})
