import { Button, Paper, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { answerOf } from '../../../../shared/web/api/answer-of.ts'
import { forgetNewInstall } from '../../../../shared/web/api/page-meta.ts'
import { fieldErrors } from '../../../../shared/web/field-errors.ts'
import { FormError } from '../../../../shared/web/form-error.tsx'
import { api } from '../../api/api.ts'
import { sessionQuery } from '../../api/session-query.ts'
import { useSignOut } from '../../api/use-sign-out.ts'
import styles from '../sign-in/sign-in-page.module.css'

const fields = ['currentPassword', 'username', 'password', 'repeated'] as const

/** A sign-in with the initial password, or one that someone else set, ends here: it must be replaced. */
export function ChangeCredentialsPage() {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const { data: session } = useSuspenseQuery(sessionQuery)
  const form = useForm({
    initialValues: { currentPassword: '', username: session?.user.username ?? '', password: '', repeated: '' },
    validate: { repeated: (value, { password }) => (value === password ? null : 'This is not the same password.') },
  })
  const [isSetByOther] = useState(session?.user.passwordSetByOther === true)
  // The server asks for it only if the sign-in was long ago.
  const [asksCurrent, setAsksCurrent] = useState(false)
  const change = useMutation({
    meta: { done: 'Credentials saved.' },
    mutationFn: ({ repeated: _, currentPassword, ...json }: typeof form.values) =>
      answerOf(api.account.credentials.$post({ json: { ...json, ...(currentPassword !== '' && { currentPassword }) } })),
    onSuccess: async () => {
      forgetNewInstall()
      await queryClient.fetchQuery({ ...sessionQuery, staleTime: 0 })
      await navigate({ to: isSetByOther ? '/' : '/setup' })
    },
    onError(error) {
      const errors = fieldErrors(error)
      form.setErrors(errors)
      if ('currentPassword' in errors) setAsksCurrent(true)
    },
  })
  const signOut = useSignOut()
  useEffect(() => {
    document.title = 'Change the password · Carrel'
  }, [])
  return (
    <main className={styles.page}>
      <Paper withBorder p="xl" className={styles.card}>
        <Stack gap="lg">
          <div>
            <Title order={1}>Choose your own password</Title>
            <Text size="sm" c="dimmed" mt={4}>
              {isSetByOther
                ? 'Someone else set the password of this user. Replace it before you continue; your keys keep working.'
                : 'Carrel was installed with a password that others may know. Replace it before you continue.'}
            </Text>
          </div>
          <form onSubmit={form.onSubmit((values) => change.mutate(values))}>
            <Stack gap="sm">
              {asksCurrent && (
                <PasswordInput
                  label="Current password"
                  description="The one that you signed in with"
                  autoComplete="current-password"
                  required
                  {...form.getInputProps('currentPassword')}
                />
              )}
              <TextInput
                label="User name"
                autoComplete="username"
                required={!isSetByOther}
                readOnly={isSetByOther}
                variant={isSetByOther ? 'filled' : 'default'}
                {...form.getInputProps('username')}
              />
              <PasswordInput
                label="New password"
                description="At least 8 characters"
                autoComplete="new-password"
                required
                autoFocus
                {...form.getInputProps('password')}
              />
              <PasswordInput
                label="New password again"
                autoComplete="new-password"
                required
                {...form.getInputProps('repeated')}
              />
              <FormError error={change.error} fields={fields} />
              <Button type="submit" fullWidth loading={change.isPending}>
                Change password
              </Button>
              <Button variant="subtle" color="gray" fullWidth loading={signOut.isPending} onClick={() => signOut.mutate()}>
                Sign out
              </Button>
              <FormError error={signOut.error} fields={[]} />
            </Stack>
          </form>
        </Stack>
      </Paper>
    </main>
  )
}
