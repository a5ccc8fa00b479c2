import { Button, Code, Group, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { InferResponseType } from 'hono/client'
import { UserPlus } from 'lucide-react'
import { useState } from 'react'
import { answerOf } from '../../../../shared/web/api/answer-of.ts'
import { CopyButton } from '../../../../shared/web/copy-button.tsx'
import { fieldErrors } from '../../../../shared/web/field-errors.ts'
import { FormDialog } from '../../../../shared/web/form-dialog.tsx'
import { FormError } from '../../../../shared/web/form-error.tsx'
import { formatDate } from '../../../../shared/web/time-ago.tsx'
import { api } from '../../api/api.ts'
import { invitesQuery, type Role } from '../../api/teamspace-queries.ts'
import { useTeam } from '../../api/use-team.ts'
import { RoleChoice } from '../../teamspace/role-choice.tsx'

const create = api.teamspaces[':team'].invites.$post
type Created = InferResponseType<typeof create, 201>

export function InviteButton() {
  const [isOpen, setIsOpen] = useState(false)
  const [created, setCreated] = useState<Created>()
  const close = () => {
    setIsOpen(false)
    setCreated(undefined)
  }
  return (
    <>
      <Button leftSection={<UserPlus size={16} aria-hidden />} onClick={() => setIsOpen(true)}>
        Invite
      </Button>
      <FormDialog
        isEdited={!created}
        opened={isOpen}
        onClose={close}
        title={created ? `${created.email} is invited` : 'Invite a person'}
        closeOnClickOutside={!created}
        closeOnEscape={!created}
      >
        {created ? <CreatedInvitation created={created} close={close} /> : <InviteForm onCreated={setCreated} close={close} />}
      </FormDialog>
    </>
  )
}

function InviteForm({ onCreated, close }: { onCreated: (created: Created) => void; close: () => void }) {
  const { id: team, role: own } = useTeam()
  const queryClient = useQueryClient()
  const form = useForm({ initialValues: { email: '', role: 'developer' as Role } })
  const invite = useMutation({
    meta: { done: 'Invitation created.' },
    mutationFn: (json: typeof form.values) => answerOf(create({ param: { team }, json })),
    onSuccess: async (created) => {
      onCreated(created)
      await queryClient.invalidateQueries({ queryKey: invitesQuery(team).queryKey })
    },
    onError: (error) => form.setErrors(fieldErrors(error)),
  })
  return (
    <form onSubmit={form.onSubmit((values) => invite.mutate({ ...values, email: values.email.trim() }))} noValidate>
      <Stack gap="md">
        <TextInput
          label="E-mail address"
          description="The person signs in with this address. Another invitation of the address is replaced."
          type="email"
          autoComplete="off"
          required
          data-autofocus
          {...form.getInputProps('email')}
        />
        <RoleChoice label="Role" own={own} value={form.values.role} onChange={(role) => form.setFieldValue('role', role)} />
        <FormError error={invite.error} fields={['email']} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <Button type="submit" loading={invite.isPending}>
            Invite
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

const CreatedInvitation = ({ created: { email, link, sent, expiresAt }, close }: { created: Created; close: () => void }) => (
  <Stack gap="md">
    <Text size="sm">
      {sent ? `A message with this link was sent to ${email}.` : `No message was sent. Give this link to ${email}.`} It is of use
      only to the person who signs in with that address, until {formatDate(expiresAt)}, and is shown only now.
    </Text>
    <Group gap="xs" wrap="nowrap">
      <Code block flex={1} style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>
        {link}
      </Code>
      <CopyButton value={link} label="the link" />
    </Group>
    <Group justify="flex-end">
      <Button onClick={close}>Done</Button>
    </Group>
  </Stack>
)
