import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { answerOf } from '../../../shared/web/api/answer-of.ts'
import { fieldErrors } from '../../../shared/web/field-errors.ts'
import { FormError } from '../../../shared/web/form-error.tsx'
import { createPasskey } from './browser-passkeys.ts'
import { factorApi } from './factor-query.ts'

type AddPasskeyProps = { close: () => void; onAdded: (recoveryCodes: string[]) => void | Promise<void> }

/** Names a passkey, and lets the browser make it. */
export function AddPasskey({ close, onAdded }: AddPasskeyProps) {
  const form = useForm({ initialValues: { name: '' } })
  const add = useMutation({
    meta: { done: 'Passkey added.' },
    mutationFn: async ({ name }: typeof form.values) => {
      const { options } = await answerOf(factorApi.passkeys.start.$post({ json: {} }))
      return answerOf(factorApi.passkeys.$post({ json: { name, credential: await createPasskey(options) } }))
    },
    onSuccess: ({ recoveryCodes }) => onAdded(recoveryCodes),
    onError: (error) => form.setErrors(fieldErrors(error)),
  })
  return (
    <form onSubmit={form.onSubmit((values) => add.mutate(values))}>
      <Stack gap="md">
        <Text size="sm">A passkey is on a security key, this device or your phone. Your browser asks which one.</Text>
        <TextInput
          label="Name"
          description="By which you recognise it"
          placeholder="Laptop"
          maxLength={60}
          required
          data-autofocus
          {...form.getInputProps('name')}
        />
        <FormError error={add.error} fields={['name']} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <Button type="submit" loading={add.isPending}>
            Add passkey
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
