import { Button, Checkbox, Group, Stack, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { answerOf } from '../../../../shared/web/api/answer-of.ts'
import { fieldErrors } from '../../../../shared/web/field-errors.ts'
import { FormDialog } from '../../../../shared/web/form-dialog.tsx'
import { FormError } from '../../../../shared/web/form-error.tsx'
import { api } from '../../api/api.ts'
import type { ListedUser } from '../../api/queries.ts'
import { NewPasswordInput } from './new-password-input.tsx'

type ResetPasswordProps = { user: ListedUser; opened: boolean; close: () => void }

const fields = ['password'] as const

export const ResetPassword = ({ user, opened, close }: ResetPasswordProps) => (
  <FormDialog opened={opened} onClose={close} title={`Reset the password of ${user.username}`}>
    <ResetPasswordForm user={user} close={close} />
  </FormDialog>
)

function ResetPasswordForm({ user, close }: Pick<ResetPasswordProps, 'user' | 'close'>) {
  const form = useForm({ initialValues: { password: '', revokeKeys: false } })
  const reset = useMutation({
    meta: { done: 'Password reset.' },
    mutationFn: (json: typeof form.values) => answerOf(api.users[':id'].$patch({ param: { id: user.id }, json })),
    onSuccess: close,
    onError: (error) => form.setErrors(fieldErrors(error)),
  })
  return (
    <form onSubmit={form.onSubmit((values) => reset.mutate(values))}>
      <Stack gap="md">
        <Text size="sm">All sessions of {user.username} end, and the next sign-in asks for another password.</Text>
        <NewPasswordInput
          field={form.getInputProps('password')}
          value={form.values.password}
          setValue={(password) => form.setFieldValue('password', password)}
        />
        <Checkbox
          label={`Also revoke all keys of ${user.username}`}
          description="Agents that use them stop working until they get new ones."
          {...form.getInputProps('revokeKeys', { type: 'checkbox' })}
        />
        <FormError error={reset.error} fields={fields} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <Button type="submit" loading={reset.isPending}>
            Reset password
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
