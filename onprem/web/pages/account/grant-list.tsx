import { Button, Group, Skeleton, Stack, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { answerOf } from '../../../../shared/web/api/answer-of.ts'
import { ErrorState } from '../../../../shared/web/error-state.tsx'
import { TimeAgo } from '../../../../shared/web/time-ago.tsx'
import { api } from '../../api/api.ts'

const queryKey = ['account', 'grants']

/** The MCP clients that read in the name of the user. */
export function GrantList() {
  const queryClient = useQueryClient()
  const grants = useQuery({ queryKey, queryFn: () => answerOf(api.account.grants.$get()) })
  const end = useMutation({
    meta: { done: 'Access ended.' },
    mutationFn: (id: string) => answerOf(api.account.grants[':id'].$delete({ param: { id } })),
    onSuccess: () => queryClient.invalidateQueries({ queryKey }),
  })
  if (grants.isLoadingError)
    return <ErrorState error={grants.error} what="The clients cannot be loaded" retry={() => void grants.refetch()} />
  if (!grants.data) return <Skeleton height={60} />
  if (grants.data.grants.length === 0)
    return (
      <Text size="sm" c="dimmed">
        You have allowed no client.
      </Text>
    )
  return (
    <Stack gap="xs">
      {grants.data.grants.map(({ id, client, createdAt, lastUsedAt }) => (
        <Group key={id} justify="space-between" gap="sm">
          <Text size="sm">
            {client}, allowed <TimeAgo time={createdAt} />,{' '}
            {lastUsedAt ? (
              <>
                used <TimeAgo time={lastUsedAt} />
              </>
            ) : (
              'never used'
            )}
          </Text>
          <Button variant="default" size="xs" loading={end.isPending && end.variables === id} onClick={() => end.mutate(id)}>
            End access of {client}
          </Button>
        </Group>
      ))}
    </Stack>
  )
}
