import { Alert, Button, Code, Group, Select, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { CopyButton } from '../copy-button.tsx'
import { fieldErrors } from '../field-errors.ts'
import { FormDialog } from '../form-dialog.tsx'
import { FormError } from '../form-error.tsx'

const dayMs = 86_400_000
const expiries = [
  { value: '', label: 'Never' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
]

export type NewKey = { name: string; expiresAt?: string }

type NewKeyProps = {
  name?: string
  /** What a holder of the key may do. */
  rights: string
  /** Fields of the dialog that decide more about the key. */
  choices?: ReactNode
  create: (key: NewKey) => Promise<{ key: string }>
}

/** Opens the dialog that makes a key. */
export function NewKeyButton({ children, ...key }: NewKeyProps & { children: string }) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <Button leftSection={<KeyRound size={16} aria-hidden />} onClick={() => setIsOpen(true)}>
        {children}
      </Button>
      <NewKeyDialog isOpen={isOpen} onClose={() => setIsOpen(false)} {...key} />
    </>
  )
}

type NewKeyDialogProps = NewKeyProps & { isOpen: boolean; onClose: () => void }

/** Makes a key and shows it, once. */
export function NewKeyDialog({ isOpen, onClose, name = '', rights, choices, create: createKey }: NewKeyDialogProps) {
  const form = useForm({ initialValues: { name, days: '' } })
  const create = useMutation({
    meta: { done: 'Key created.' },
    mutationFn: ({ name, days }: typeof form.values) => {
      const expiresAt = days === '' ? undefined : new Date(Date.now() + Number(days) * dayMs).toISOString()
      return createKey({ name, ...(expiresAt && { expiresAt }) })
    },
    onError: (error) => form.setErrors(fieldErrors(error)),
  })
  const close = () => {
    if (create.isPending) return
    onClose()
    create.reset()
    form.reset()
  }
  return (
    <FormDialog
      isEdited={!create.data}
      opened={isOpen}
      onClose={close}
      title={create.data ? 'Copy your key' : 'New key'}
      closeOnClickOutside={!create.data}
      closeOnEscape={!create.data}
    >
      {create.data ? (
        <Stack gap="md">
          <Text size="sm">
            This key is shown only now. Put it into the settings of the client that uses it; a lost key is replaced by a new one.
          </Text>
          <Group gap="xs" wrap="nowrap">
            <Code block flex={1} style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>
              {create.data.key}
            </Code>
            <CopyButton value={create.data.key} label="the key" />
          </Group>
          <Group justify="flex-end">
            <Button onClick={close}>Done</Button>
          </Group>
        </Stack>
      ) : (
        <form onSubmit={form.onSubmit((values) => create.mutate(values))}>
          <Stack gap="sm">
            <TextInput
              label="Name"
              description="Where it will be used, for example “Cursor on my laptop”"
              required
              data-autofocus
              {...form.getInputProps('name')}
            />
            {choices}
            <Select label="Expires" data={expiries} allowDeselect={false} {...form.getInputProps('days')} />
            <Alert color="gray" variant="light">
              {rights}
            </Alert>
            <FormError error={create.error} fields={['name']} />
            <Group justify="flex-end" gap="xs">
              <Button variant="default" onClick={close} disabled={create.isPending}>
                Cancel
              </Button>
              <Button type="submit" loading={create.isPending}>
                Create key
              </Button>
            </Group>
          </Stack>
        </form>
      )}
    </FormDialog>
  )
}
