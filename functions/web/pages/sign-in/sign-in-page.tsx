import { Alert, Anchor, Button, Paper, Stack, Text, Title } from '@mantine/core'
import { useSearch } from '@tanstack/react-router'
import { CircleAlert } from 'lucide-react'
import { useEffect } from 'react'
import { pageMeta } from '../../../../shared/web/api/page-meta.ts'
import icon from '../../../../shared/web/public/icon.svg'
import { signInAddress } from '../../api/sign-in-address.ts'
import styles from './sign-in-page.module.css'

const endings = {
  'sign-out': 'You are signed out.',
  'all-sessions': 'All your sessions have ended.',
  deletion: 'Your account is deleted.',
}

/** It leads to the service at which people sign in, and shows why the last attempt failed. */
export function SignInPage() {
  const { next = '/', ended } = useSearch({ strict: false })
  const failure = pageMeta('failure')
  useEffect(() => {
    document.title = 'Sign in · Carrel'
  }, [])
  return (
    <main className={styles.page}>
      <Paper withBorder p="xl" className={styles.card}>
        <Stack gap="lg">
          <Stack gap="xs">
            <img src={icon} alt="" width={40} height={40} />
            <Title order={1}>{failure === '' ? 'Sign in to Carrel' : 'The sign-in did not succeed'}</Title>
            <Text c="dimmed">Documentation of the libraries that your team uses, for its coding agents.</Text>
          </Stack>
          {failure !== '' && (
            <Alert color="red" variant="light" icon={<CircleAlert size={18} aria-hidden />} role="alert">
              {failure}
            </Alert>
          )}
          {ended !== undefined && <Text role="status">{endings[ended]}</Text>}
          <Button component="a" href={signInAddress(next)} fullWidth>
            {failure === '' ? 'Sign in' : 'Start again'}
          </Button>
          <Anchor size="sm" href={signInAddress(next, true)}>
            Use another account
          </Anchor>
        </Stack>
      </Paper>
    </main>
  )
}
