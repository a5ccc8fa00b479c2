import { Button, Code, Group, Skeleton, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQuery } from '@tanstack/react-query'
import { answerOf } from '../../../shared/web/api/answer-of.ts'
import { CopyButton } from '../../../shared/web/copy-button.tsx'
import { ErrorState } from '../../../shared/web/error-state.tsx'
import { fieldErrors } from '../../../shared/web/field-errors.ts'
import { FormError } from '../../../shared/web/form-error.tsx'
import { factorApi } from './factor-query.ts'
import { QrCode } from './qr-code.tsx'

type AddAppProps = { close: () => void; onAdded: (recoveryCodes: string[]) => void | Promise<void> }

/** A new secret as a QR code and as text, and the first code of the app. */
export function AddApp({ close, onAdded }: AddAppProps) {
  const started = useQuery({
    queryKey: ['new-authenticator-app'],
    queryFn: () => answerOf(factorApi.app.start.$post({ json: {} })),
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const form = useForm({ initialValues: { code: '' } })
  const add = useMutation({
    meta: { done: 'Authenticator app added.' },
    mutationFn: (json: typeof form.values) => answerOf(factorApi.app.$post({ json })),
    onSuccess: ({ recoveryCodes }) => onAdded(recoveryCodes),
    onError: (error) => form.setErrors(fieldErrors(error)),
  })
  if (started.isLoadingError)
    return <ErrorState error={started.error} what="The app cannot be added" retry={() => void started.refetch()} />
  if (!started.data) return <Skeleton height={320} />
  const { secret, address } = started.data
  return (
    <form onSubmit={form.onSubmit((values) => add.mutate(values))}>
      <Stack gap="md">
        <Text size="sm">Scan this code with an authenticator app, or type the secret into it.</Text>
        <Group justify="center">
          <QrCode text={address} label="QR code of the secret" />
        </Group>
        <Text component="div" size="sm" ta="center">
          <Code aria-label="Secret">{secret.match(/.{4}/g)?.join(' ')}</Code> <CopyButton value={secret} label="the secret" />
        </Text>
        <TextInput
          label="Code"
          description="The six digits that the app shows"
          autoComplete="one-time-code"
          inputMode="numeric"
          required
          data-autofocus
          {...form.getInputProps('code')}
        />
        <FormError error={add.error} fields={['code']} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <Button type="submit" loading={add.isPending}>
            Add app
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
