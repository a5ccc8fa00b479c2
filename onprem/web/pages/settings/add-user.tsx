import { Button, Group, Radio, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { answerOf } from '../../../../shared/web/api/answer-of.ts'
import { fieldErrors } from '../../../../shared/web/field-errors.ts'
import { FormDialog } from '../../../../shared/web/form-dialog.tsx'
import { FormError } from '../../../../shared/web/form-error.tsx'
import { api } from '../../api/api.ts'
import { usersQuery } from '../../api/queries.ts'
import { NewPasswordInput } from './new-password-input.tsx'

type AddUserProps = { opened: boolean; close: () => void }

const fields = ['username', 'password', 'role'] as const

export const AddUser = ({ opened, close }: AddUserProps) => (
  <FormDialog opened={opened} onClose={close} title="Add a user">
    <AddUserForm close={close} />
  </FormDialog>
)

function AddUserForm({ close }: Pick<AddUserProps, 'close'>) {
  const queryClient = useQueryClient()
  const form = useForm({ initialValues: { username: '', role: 'member' as 'admin' | 'member', password: '' } })
  const add = useMutation({
    meta: { done: 'User added.' },
    mutationFn: (json: typeof form.values) => answerOf(api.users.$post({ json })),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: usersQuery.queryKey })
      close()
    },
    onError: (error) => form.setErrors(fieldErrors(error)),
  })
  return (
    <form onSubmit={form.onSubmit((values) => add.mutate(values))}>
      <Stack gap="md">
        <TextInput
          label="User name"
          description="Letters, digits and . _ @ + -"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          required
          data-autofocus
          {...form.getInputProps('username')}
        />
        <Radio.Group label="Role" {...form.getInputProps('role')}>
          <Stack gap="xs" mt={6}>
            <Radio value="member" label="Member" description="Searches, adds and refreshes libraries, creates own keys" />
            <Radio value="admin" label="Admin" description="Can do everything, also change settings and delete libraries" />
          </Stack>
        </Radio.Group>
        <NewPasswordInput
          field={form.getInputProps('password')}
          value={form.values.password}
          setValue={(password) => form.setFieldValue('password', password)}
        />
        <Text size="sm" c="dimmed">
          Give the password to the user, who chooses another one at the first sign-in.
        </Text>
        <FormError error={add.error} fields={fields} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <Button type="submit" loading={add.isPending}>
            Add user
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
