import { Button, Group, PasswordInput, Stack, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { answerOf } from '../../../shared/web/api/answer-of.ts'
import { fieldErrors } from '../../../shared/web/field-errors.ts'
import { FormError } from '../../../shared/web/form-error.tsx'
import { factorApi } from './factor-query.ts'

type ConfirmPasswordProps = { close: () => void; onConfirmed: () => void | Promise<void> }

/** Asks for the password before the second factor changes. */
export function ConfirmPassword({ close, onConfirmed }: ConfirmPasswordProps) {
  const form = useForm({ initialValues: { password: '' } })
  const confirm = useMutation({
    mutationFn: (json: typeof form.values) => answerOf(factorApi.confirm.$post({ json })),
    onSuccess: onConfirmed,
    onError: (error) => form.setErrors(fieldErrors(error)),
  })
  return (
    <form onSubmit={form.onSubmit((values) => confirm.mutate(values))}>
      <Stack gap="md">
        <Text size="sm">You signed in a while ago. Type your password to change your second factor.</Text>
        <PasswordInput
          label="Password"
          autoComplete="current-password"
          required
          data-autofocus
          {...form.getInputProps('password')}
        />
        <FormError error={confirm.error} fields={['password']} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <Button type="submit" loading={confirm.isPending}>
            Continue
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
