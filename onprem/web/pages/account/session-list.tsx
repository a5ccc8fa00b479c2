import { Skeleton } from '@mantine/core'
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { SessionTable } from '../../../../shared/web/account/session-table.tsx'
import { answerOf } from '../../../../shared/web/api/answer-of.ts'
import { ErrorState } from '../../../../shared/web/error-state.tsx'
import { TimeAgo } from '../../../../shared/web/time-ago.tsx'
import { api } from '../../api/api.ts'

const sessionsQuery = queryOptions({
  queryKey: ['account', 'sessions'],
  queryFn: async () => (await answerOf(api.account.sessions.$get())).sessions,
})

export function SessionList() {
  const queryClient = useQueryClient()
  const sessions = useQuery(sessionsQuery)
  if (sessions.isLoadingError)
    return <ErrorState error={sessions.error} what="The sessions cannot be loaded" retry={() => void sessions.refetch()} />
  if (!sessions.data) return <Skeleton height={120} />
  const end = (ids: string[]) =>
    Promise.all(ids.map((id) => answerOf(api.account.sessions[':id'].$delete({ param: { id } })))).finally(() =>
      queryClient.invalidateQueries({ queryKey: ['account'] }),
    )
  const shown = sessions.data.map(({ current: isCurrent, expiresAt, ...session }) => ({
    ...session,
    isCurrent,
    last: <TimeAgo time={expiresAt} />,
  }))
  return <SessionTable sessions={shown} lastTitle="Ends" end={end} />
}
