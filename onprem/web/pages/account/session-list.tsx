import { Button, Group, Skeleton, Stack, Table, Text } from '@mantine/core'
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { answerOf } from '../../../../shared/web/api/answer-of.ts'
import { ErrorState } from '../../../../shared/web/error-state.tsx'
import { TimeAgo } from '../../../../shared/web/time-ago.tsx'
import { api } from '../../api/api.ts'
import styles from './account-page.module.css'

const sessionsQuery = queryOptions({
  queryKey: ['account', 'sessions'],
  queryFn: async () => (await answerOf(api.account.sessions.$get())).sessions,
})

export function SessionList() {
  const queryClient = useQueryClient()
  const sessions = useQuery(sessionsQuery)
  const end = useMutation({
    mutationFn: (ids: string[]) => Promise.all(ids.map((id) => answerOf(api.account.sessions[':id'].$delete({ param: { id } })))),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['account'] }),
  })
  if (sessions.isLoadingError)
    return <ErrorState error={sessions.error} what="The sessions cannot be loaded" retry={() => void sessions.refetch()} />
  if (!sessions.data) return <Skeleton height={120} />
  const others = sessions.data.filter(({ current }) => !current).map(({ id }) => id)
  return (
    <Stack gap="sm">
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Browser</Table.Th>
            <Table.Th>Signed in</Table.Th>
            <Table.Th className={styles.wide}>Ends</Table.Th>
            <Table.Th />
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {sessions.data.map(({ id, userAgent, createdAt, expiresAt, current }) => (
            <Table.Tr key={id}>
              <Table.Td className={styles.name} title={userAgent}>
                <bdi>{browserName(userAgent)}</bdi>
              </Table.Td>
              <Table.Td>
                <TimeAgo time={createdAt} />
              </Table.Td>
              <Table.Td className={styles.wide}>
                <TimeAgo time={expiresAt} />
              </Table.Td>
              <Table.Td align="right">
                {current ? (
                  <Text size="sm" c="dimmed">
                    This browser
                  </Text>
                ) : (
                  <Button variant="default" size="xs" onClick={() => end.mutate([id])}>
                    End session
                  </Button>
                )}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {end.error && (
        <Text size="sm" c="var(--bad)" role="alert">
          {end.error.message}
        </Text>
      )}
      {others.length > 1 && (
        <Group>
          <Button variant="default" loading={end.isPending} onClick={() => end.mutate(others)}>
            End the other sessions
          </Button>
        </Group>
      )}
    </Stack>
  )
}

const browsers = [
  ['Edge', /\bEdg\//],
  ['Firefox', /\bFirefox\//],
  ['Chrome', /Chrome\//],
  ['Safari', /\bSafari\//],
  ['curl', /^curl\//],
] as const
const systems = [
  ['Windows', /Windows/],
  ['Android', /Android/],
  ['iOS', /iPhone|iPad/],
  ['macOS', /Mac OS X/],
  ['Linux', /Linux|X11/],
] as const

/** "Firefox on Linux", or the name that the browser sends. */
function browserName(userAgent: string): string {
  const [browser, system] = [browsers, systems].map((list) => list.find(([, pattern]) => pattern.test(userAgent))?.[0])
  if (browser === undefined) return userAgent.slice(0, 60) || 'Unknown'
  return system === undefined ? browser : `${browser} on ${system}`
}
