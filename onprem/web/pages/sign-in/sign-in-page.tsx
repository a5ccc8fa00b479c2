import { Paper, Stack, Text, Title } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect } from 'react'
import { pageMeta } from '../../../../shared/web/api/page-meta.ts'
import { CopyButton } from '../../../../shared/web/copy-button.tsx'
import icon from '../../../../shared/web/public/icon.svg'
import { SignInForm } from './sign-in-form.tsx'
import styles from './sign-in-page.module.css'
import { WaysToSignIn } from './ways-to-sign-in.tsx'

export function SignInPage() {
  const navigate = useNavigate()
  const { next } = useSearch({ from: '/sign-in' })
  const first = pageMeta('new')
  useEffect(() => {
    document.title = 'Sign in · Carrel'
  }, [])
  return (
    <main className={styles.page}>
      <Paper withBorder p="xl" className={styles.card}>
        <Stack gap="lg">
          <img src={icon} alt="" className={styles.mark} />
          <div>
            <Title order={1}>Sign in to Carrel</Title>
            <Text size="sm" c="dimmed" mt={4}>
              Documentation of software libraries for AI agents, on {location.host}.
            </Text>
          </div>
          {first === 'public' && (
            <Text size="sm">
              This install is new: sign in as <b>admin</b> with the password <b>admin</b>. You choose your own next.
            </Text>
          )}
          {first === 'secret' && (
            <Text size="sm">
              This install is new: sign in as <b>admin</b>. The first password is the one in <code>INITIAL_ADMIN_PASSWORD</code>{' '}
              or, without it, in the log of the server and in the file <code>initial-password</code> of its data directory.
            </Text>
          )}
          <WaysToSignIn next={next}>
            <SignInForm username={first === '' ? '' : 'admin'} onSignedIn={() => navigate({ href: next })} />
            <ForgotPassword />
          </WaysToSignIn>
        </Stack>
      </Paper>
    </main>
  )
}

/** No page resets a password, because Carrel sends no mail: another admin does it, or the command line. */
function ForgotPassword() {
  const command = `${pageMeta('command') || 'carrel'} users set admin --password`
  return (
    <details className={styles.forgot}>
      <summary>Forgot password?</summary>
      <Stack gap={6} mt="xs">
        <Text size="sm">
          An admin can set another one in Settings &gt; Users. On the server, this command does it, also for the only admin.
          Replace admin by your user name:
        </Text>
        <Text component="div" size="sm">
          <code>{command}</code> <CopyButton value={command} label="the command" />
        </Text>
      </Stack>
    </details>
  )
}
