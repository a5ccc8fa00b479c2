import { Paper, Stack, Text, Title } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect } from 'react'
import { pageMeta } from '../../../../shared/web/api/page-meta.ts'
import { SignInForm } from './sign-in-form.tsx'
import styles from './sign-in-page.module.css'

export function SignInPage() {
  const navigate = useNavigate()
  const { next } = useSearch({ from: '/sign-in' })
  useEffect(() => {
    document.title = 'Sign in · Carrel'
  }, [])
  return (
    <main className={styles.page}>
      <Paper withBorder p="xl" className={styles.card}>
        <Stack gap="lg">
          <Title order={1}>Sign in to Carrel</Title>
          {pageMeta('new') === 'true' && (
            <Text size="sm" c="dimmed">
              This install is new: sign in as <b>admin</b> with the password <b>admin</b>. You choose your own next.
            </Text>
          )}
          <SignInForm onSignedIn={() => navigate({ href: next })} />
        </Stack>
      </Paper>
    </main>
  )
}
