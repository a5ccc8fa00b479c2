import { Button, Group, Paper, Skeleton, Stack, Text, Title } from '@mantine/core'
import { useMutation, useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useEffect } from 'react'
import { answerOf } from '../../../../shared/web/api/answer-of.ts'
import { MessageText } from '../../../../shared/web/message-text.tsx'
import icon from '../../../../shared/web/public/icon.svg'
import { api } from '../../api/api.ts'
import { sessionQuery } from '../../api/session-query.ts'
import styles from '../sign-in/sign-in-page.module.css'

/** Asks a user whether an MCP client may read in their name. */
export function AllowClientPage() {
  const { request: id } = useSearch({ from: '/signed-in/allow-client' })
  const { data: session } = useSuspenseQuery(sessionQuery)
  const param = { id }
  const request = useQuery({
    queryKey: ['client-request', id],
    queryFn: () => answerOf(api.oauth.requests[':id'].$get({ param })),
    retry: false,
  })
  const decide = useMutation({
    mutationFn: (allow: boolean) => answerOf(api.oauth.requests[':id'].$post({ param, json: { allow } })),
    onSuccess: ({ next }) => location.assign(next),
  })
  const error = request.error ?? decide.error
  useEffect(() => {
    document.title = 'Allow a client · Carrel'
  }, [])
  return (
    <main className={styles.page}>
      <Paper withBorder p="xl" className={styles.card}>
        <Stack gap="lg">
          <img src={icon} alt="" className={styles.mark} />
          <Title order={1}>Allow this client?</Title>
          {error ? (
            <Text c="var(--bad)" role="alert">
              <MessageText>{error.message}</MessageText>
            </Text>
          ) : request.data ? (
            <>
              <Text>
                <b>{request.data.client}</b> wants to read the documentation that you may read, as <b>{session?.user.username}</b>
                . It changes nothing. The answer goes to <code>{request.data.returnsTo}</code>.
              </Text>
              <Text size="sm" c="dimmed">
                The client chose its name itself. Allow it only if you have just added this server there. Personal Settings ends
                its access.
              </Text>
              <Group grow>
                <Button variant="default" disabled={decide.isPending || decide.isSuccess} onClick={() => decide.mutate(false)}>
                  Refuse
                </Button>
                <Button loading={decide.isPending} disabled={decide.isSuccess} onClick={() => decide.mutate(true)}>
                  Allow
                </Button>
              </Group>
              {decide.isSuccess && (
                <Text size="sm" role="status">
                  Go back to your client. You can close this page.
                </Text>
              )}
            </>
          ) : (
            <Skeleton height={120} />
          )}
        </Stack>
      </Paper>
    </main>
  )
}
