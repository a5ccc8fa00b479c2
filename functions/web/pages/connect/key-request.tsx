import { useQuery } from '@tanstack/react-query'
import { RequestStatus } from '../../../../shared/web/connect/request-status.tsx'
import { type TeamKey, teamKeysQuery } from '../../api/teamspace-queries.ts'
import { useTeam } from '../../api/use-team.ts'

const pollMs = 3_000

/** Waits for the first request with a key that was just made, which only the agent has. */
export function KeyRequest({ id }: { id: string }) {
  const team = useTeam()
  const isUsed = (keys: TeamKey[] = []) => keys.some((key) => key.id === id && key.usedDay !== null)
  const { data: keys } = useQuery({
    ...teamKeysQuery(team.id),
    refetchInterval: ({ state }) => (isUsed(state.data) ? false : pollMs),
  })
  return (
    <RequestStatus
      awaited="the first request with this key"
      received={isUsed(keys) ? 'The first request with this key was received.' : undefined}
    />
  )
}
