import { Skeleton } from '@mantine/core'
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { SessionTable } from '../../../../shared/web/account/session-table.tsx'
import { answerOf } from '../../../../shared/web/api/answer-of.ts'
import { ConfirmButton } from '../../../../shared/web/confirm-button.tsx'
import { DayAgo } from '../../../../shared/web/day-ago.tsx'
import { ErrorState } from '../../../../shared/web/error-state.tsx'
import { api } from '../../api/api.ts'
import { useEndSession } from '../../api/use-end-session.ts'

const sessionsQuery = queryOptions({
  queryKey: ['account', 'sessions'],
  queryFn: async () => (await answerOf(api.sessions.$get())).sessions,
})

export function SessionList() {
  const queryClient = useQueryClient()
  const endSession = useEndSession()
  const sessions = useQuery(sessionsQuery)
  if (sessions.isLoadingError)
    return <ErrorState error={sessions.error} what="The sessions cannot be loaded" retry={() => void sessions.refetch()} />
  if (!sessions.data) return <Skeleton height={120} />
  const end = (ids: string[]) =>
    Promise.all(ids.map((id) => answerOf(api.sessions[':id'].$delete({ param: { id } })))).finally(() =>
      queryClient.invalidateQueries({ queryKey: sessionsQuery.queryKey }),
    )
  const endAll = async () => {
    await answerOf(api.sessions.$delete())
    await endSession('all-sessions')
  }
  const shown = sessions.data.map(({ agent, seenDay, ...session }) => ({
    ...session,
    userAgent: agent,
    last: <DayAgo day={seenDay} />,
  }))
  return (
    <SessionTable sessions={shown} lastTitle="Last used" end={end}>
      <ConfirmButton
        question="End all your sessions?"
        consequence="You are signed out in every browser, in this one too. API keys remain valid."
        done={undefined}
        onConfirm={endAll}
      >
        End all sessions
      </ConfirmButton>
    </SessionTable>
  )
}
