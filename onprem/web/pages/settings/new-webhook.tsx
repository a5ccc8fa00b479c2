import { Button, Code, Group, Select, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { answerOf } from '../../../../shared/web/api/answer-of.ts'
import { CopyButton } from '../../../../shared/web/copy-button.tsx'
import { fieldErrors } from '../../../../shared/web/field-errors.ts'
import { FormDialog } from '../../../../shared/web/form-dialog.tsx'
import { FormError } from '../../../../shared/web/form-error.tsx'
import { api } from '../../api/api.ts'
import { type ListedHook, webhooksQuery } from '../../api/queries.ts'
import { WebhookAddress } from './webhook-address.tsx'

const kinds = [
  { value: 'github', label: 'GitHub' },
  { value: 'gitlab', label: 'GitLab' },
  { value: 'gitea', label: 'Gitea or Forgejo' },
  { value: 'bitbucket', label: 'Bitbucket' },
  { value: 'generic', label: 'Another program' },
] as const

const fields = ['kind', 'library', 'host', 'name', 'secret'] as const
const empty = { kind: 'github' as ListedHook['kind'], library: '', host: '', name: '', secret: '' }

type NewWebhookProps = { opened: boolean; close: () => void }

/** Adds a webhook and shows its secret, once. */
export function NewWebhook({ opened, close }: NewWebhookProps) {
  const queryClient = useQueryClient()
  const form = useForm({ initialValues: empty })
  const add = useMutation({
    meta: { done: 'Webhook added.' },
    mutationFn: ({ kind, ...texts }: typeof empty) => {
      // The form hides the host while it names a library.
      const shown = texts.library.trim() === '' ? texts : { ...texts, host: '' }
      const filled = Object.entries(shown).flatMap(([name, text]) => (text.trim() === '' ? [] : [[name, text.trim()]]))
      return answerOf(api.hooks.$post({ json: { kind, ...Object.fromEntries(filled) } }))
    },
    onSuccess: () => queryClient.invalidateQueries({ queryKey: webhooksQuery.queryKey }),
    onError: (error) => form.setErrors(fieldErrors(error)),
  })
  const end = () => {
    if (add.isPending) return
    close()
    add.reset()
    form.reset()
  }
  return (
    <FormDialog
      isEdited={!add.data}
      opened={opened}
      onClose={end}
      title={add.data ? 'Copy the secret' : 'Add a webhook'}
      closeOnClickOutside={!add.data}
      closeOnEscape={!add.data}
    >
      {add.data ? (
        <Stack gap="md">
          <Text size="sm">Enter the address and the secret at the host, with the content type application/json.</Text>
          <WebhookAddress hook={add.data} />
          <Text size="sm">The secret is shown only now.</Text>
          <Group gap="xs" wrap="nowrap">
            <Code block flex={1} style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>
              {add.data.secret}
            </Code>
            <CopyButton value={add.data.secret} label="the secret" />
          </Group>
          <Group justify="flex-end">
            <Button onClick={end}>Done</Button>
          </Group>
        </Stack>
      ) : (
        <form onSubmit={form.onSubmit((values) => add.mutate(values))}>
          <Stack gap="sm">
            <Select label="Sender" data={kinds} allowDeselect={false} {...form.getInputProps('kind')} />
            <TextInput
              label="Library"
              description="Such as /owner/repo. Empty for all libraries of a host"
              {...form.getInputProps('library')}
            />
            {form.values.library.trim() === '' && (
              <TextInput
                label="Host"
                description="Its address. Empty for the one in the settings Git hosts"
                {...form.getInputProps('host')}
              />
            )}
            <TextInput label="Name" description="In this list. Optional" {...form.getInputProps('name')} />
            <TextInput
              label="Secret of the host"
              description="Only if the host has chosen one, such as a signing token of GitLab"
              autoComplete="off"
              {...form.getInputProps('secret')}
            />
            <FormError error={add.error} fields={fields} />
            <Group justify="flex-end" gap="xs">
              <Button variant="default" onClick={end} disabled={add.isPending}>
                Cancel
              </Button>
              <Button type="submit" loading={add.isPending}>
                Add webhook
              </Button>
            </Group>
          </Stack>
        </form>
      )}
    </FormDialog>
  )
}
