import { Button, Paper, Stack, Text, Title } from '@mantine/core'
import { useSuspenseQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { FormError } from '../../../../shared/web/form-error.tsx'
import { sessionQuery } from '../../api/session-query.ts'
import { useSignOut } from '../../api/use-sign-out.ts'
import { FactorList } from '../../second-factor/factor-list.tsx'
import styles from '../sign-in/sign-in-page.module.css'

/** A sign-in without a second factor ends here while the install requires one. */
export function AddFactorPage() {
  const navigate = useNavigate()
  const { data: session } = useSuspenseQuery(sessionQuery)
  const signOut = useSignOut()
  const isMissing = session?.user.mustAddSecondFactor === true
  useEffect(() => {
    document.title = 'Add a second factor · Carrel'
  }, [])
  return (
    <main className={styles.page}>
      <Paper withBorder p="xl" className={styles.card}>
        <Stack gap="lg">
          <div>
            <Title order={1}>Add a second factor</Title>
            <Text size="sm" c="dimmed" mt={4}>
              This install requires one: a sign-in then asks for it after your password. Your keys keep working.
            </Text>
          </div>
          <FactorList />
          <Stack gap="sm">
            <Button fullWidth disabled={isMissing} onClick={() => void navigate({ to: '/' })}>
              Continue
            </Button>
            <Button variant="subtle" color="gray" fullWidth loading={signOut.isPending} onClick={() => signOut.mutate()}>
              Sign out
            </Button>
            <FormError error={signOut.error} fields={[]} />
          </Stack>
        </Stack>
      </Paper>
    </main>
  )
}
