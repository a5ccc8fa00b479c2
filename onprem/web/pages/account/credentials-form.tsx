import { Button, Checkbox, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { answerOf } from '../../../../shared/web/api/answer-of.ts'
import { fieldErrors } from '../../../../shared/web/field-errors.ts'
import { FormError } from '../../../../shared/web/form-error.tsx'
import { useUnsavedChanges } from '../../../../shared/web/use-unsaved-changes.ts'
import { api } from '../../api/api.ts'
import { keyQuery } from '../../api/queries.ts'
import { sessionQuery } from '../../api/session-query.ts'
import styles from './account-page.module.css'

const empty = { currentPassword: '', password: '', repeated: '', revokeKeys: false }

/** Changes the user name and the password of the user. */
export function CredentialsForm() {
  const queryClient = useQueryClient()
  const { data: session } = useSuspenseQuery(sessionQuery)
  const form = useForm({
    initialValues: { ...empty, username: session?.user.username ?? '' },
    validate: { repeated: (value, { password }) => (value === password ? null : 'This is not the same password.') },
  })
  const change = useMutation({
    meta: { done: 'Credentials changed.' },
    mutationFn: ({ repeated: _, ...json }: typeof form.values) => answerOf(api.account.credentials.$post({ json })),
    onSuccess: async ({ user }) => {
      form.setValues({ ...empty, username: user.username })
      await queryClient.fetchQuery({ ...sessionQuery, staleTime: 0 })
      await queryClient.invalidateQueries({ queryKey: ['account'] })
      await queryClient.invalidateQueries({ queryKey: keyQuery.queryKey })
    },
    onError: (error) => form.setErrors(fieldErrors(error)),
  })
  useUnsavedChanges(form.isDirty() && !change.isPending)
  if (session?.user.issuer)
    return (
      <Text size="sm" c="dimmed">
        You sign in at {session.user.issuer} and have no password here.
      </Text>
    )
  return (
    <form onSubmit={form.onSubmit((values) => change.mutate(values))} className={styles.form}>
      <Stack gap="sm">
        <PasswordInput
          label="Current password"
          autoComplete="current-password"
          required
          {...form.getInputProps('currentPassword')}
        />
        <TextInput label="User name" autoComplete="username" required {...form.getInputProps('username')} />
        <PasswordInput
          label="New password"
          description="At least 8 characters"
          autoComplete="new-password"
          required
          {...form.getInputProps('password')}
        />
        <PasswordInput label="New password again" autoComplete="new-password" required {...form.getInputProps('repeated')} />
        <Checkbox
          label="Also revoke all my keys"
          description="Agents that use them stop working until they get new ones."
          {...form.getInputProps('revokeKeys', { type: 'checkbox' })}
        />
        <FormError error={change.error} fields={Object.keys(form.values)} />
        {change.data && (
          <Text size="sm" role="status">
            Your credentials are changed. Your other sessions have ended.
          </Text>
        )}
        <Group>
          <Button type="submit" variant="default" loading={change.isPending}>
            Change credentials
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
