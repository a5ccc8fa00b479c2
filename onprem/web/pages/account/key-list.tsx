import { Skeleton, Text } from '@mantine/core'
import { useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { answerOf } from '../../../../shared/web/api/answer-of.ts'
import { ErrorState } from '../../../../shared/web/error-state.tsx'
import { KeyTable } from '../../../../shared/web/keys/key-table.tsx'
import { TimeAgo } from '../../../../shared/web/time-ago.tsx'
import { api } from '../../api/api.ts'
import { keyQuery } from '../../api/queries.ts'
import { sessionQuery } from '../../api/session-query.ts'
import { keyLimits } from '../../keys/key-limits.ts'

/** The keys of the user. */
export function KeyList() {
  const queryClient = useQueryClient()
  const { data: session } = useSuspenseQuery(sessionQuery)
  const keys = useQuery(keyQuery)
  if (keys.isLoadingError)
    return <ErrorState error={keys.error} what="The keys cannot be loaded" retry={() => void keys.refetch()} />
  if (!keys.data) return <Skeleton height={120} />
  const own = keys.data.keys.filter(({ owner }) => owner?.id === session?.user.id)
  if (own.length === 0)
    return (
      <Text size="sm" c="dimmed">
        You have no keys. An agent needs one only while this install requires keys for MCP.
      </Text>
    )
  const revoke = async (id: string) => {
    await answerOf(api.keys[':id'].$delete({ param: { id } }))
    await queryClient.invalidateQueries({ queryKey: ['keys'] })
  }
  const shown = own.map(({ lastUsedAt, ...key }) => {
    const limits = keyLimits(key).join(', ')
    return { ...key, lastUse: lastUsedAt && <TimeAgo time={lastUsedAt} />, ...(limits !== '' && { note: limits }) }
  })
  return <KeyTable keys={shown} revoke={revoke} />
}
