import { Paper, Stack, Text, Title } from '@mantine/core'
import { useEffect } from 'react'
import { LinkButton } from '../../../../shared/web/link-button.tsx'
import styles from './sign-in-page.module.css'

/** The page after a sign-in in a separate tab. */
export function SignedInPage() {
  useEffect(() => {
    document.title = 'Signed in · Carrel'
  }, [])
  return (
    <main className={styles.page}>
      <Paper withBorder p="xl" className={styles.card}>
        <Stack gap="lg">
          <Title order={1}>You are signed in</Title>
          <Text>Close this tab, and continue in the one that you came from. What you entered there is kept.</Text>
          <LinkButton to="/" variant="default">
            Open Carrel here
          </LinkButton>
        </Stack>
      </Paper>
    </main>
  )
}
