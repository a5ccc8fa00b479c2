import { Button, Group, Paper, Stack, Text, TextInput, Title } from '@mantine/core'
import { useMutation, useSuspenseQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { answerOf } from '../../../../shared/web/api/answer-of.ts'
import { MessageText } from '../../../../shared/web/message-text.tsx'
import icon from '../../../../shared/web/public/icon.svg'
import { api } from '../../api/api.ts'
import { sessionQuery } from '../../api/session-query.ts'
import styles from '../sign-in/sign-in-page.module.css'

/** Asks a user whether a command line that shows a code gets a key. The user compares the code, also one that the address has. */
export function DevicePage() {
  const search = useSearch({ from: '/signed-in/device' })
  const { data: session } = useSuspenseQuery(sessionQuery)
  const [code, setCode] = useState(search.code)
  const find = useMutation({ mutationFn: () => answerOf(api['device-logins'][':code'].$get({ param: { code } })) })
  const decide = useMutation({
    mutationFn: (allow: boolean) => answerOf(api['device-logins'][':code'].$post({ param: { code }, json: { allow } })),
  })
  const error = find.error ?? decide.error
  useEffect(() => {
    document.title = 'Log in a command line · Carrel'
  }, [])
  return (
    <main className={styles.page}>
      <Paper withBorder p="xl" className={styles.card}>
        <Stack gap="lg">
          <img src={icon} alt="" className={styles.mark} />
          <Title order={1}>Log in a command line</Title>
          {error && (
            <Text c="var(--bad)" role="alert">
              <MessageText>{error.message}</MessageText>
            </Text>
          )}
          {decide.data ? (
            <Text role="status">
              <MessageText>{decide.data.message}</MessageText> You can close this page.
            </Text>
          ) : find.data ? (
            <>
              <Text>
                <b>{find.data.name}</b> at the address <code>{find.data.address}</code> shows the code{' '}
                <code>{code.toUpperCase()}</code> and asks for a key of <b>{session?.user.username}</b>, with all your rights, for
                90 days.
              </Text>
              <Text size="sm" c="dimmed">
                Allow it only if you have just run “carrel login” yourself, and it shows this code.
              </Text>
              <Group grow>
                <Button variant="default" disabled={decide.isPending} onClick={() => decide.mutate(false)}>
                  Refuse
                </Button>
                <Button loading={decide.isPending} onClick={() => decide.mutate(true)}>
                  Allow
                </Button>
              </Group>
            </>
          ) : (
            <form
              onSubmit={(event) => {
                event.preventDefault()
                find.mutate()
              }}
            >
              <Stack gap="sm">
                <TextInput
                  label="Code"
                  description="As the command line shows it"
                  placeholder="ABCD-EFGH"
                  autoComplete="off"
                  spellCheck={false}
                  required
                  value={code}
                  onChange={(event) => setCode(event.currentTarget.value.trim())}
                />
                <Button type="submit" loading={find.isPending}>
                  Continue
                </Button>
              </Stack>
            </form>
          )}
        </Stack>
      </Paper>
    </main>
  )
}
