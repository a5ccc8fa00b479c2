import { Button, Group, MultiSelect, Skeleton, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { answerOf } from '../../../../shared/web/api/answer-of.ts'
import { fieldErrors } from '../../../../shared/web/field-errors.ts'
import { FormDialog } from '../../../../shared/web/form-dialog.tsx'
import { FormError } from '../../../../shared/web/form-error.tsx'
import { groupsQuery, membersQuery } from '../../api/access-queries.ts'
import { api } from '../../api/api.ts'
import { usersQuery } from '../../api/queries.ts'

type GroupFormProps = {
  /** Empty for a new group; undefined while the dialog is closed. */
  name: string | undefined
  close: () => void
}

const fields = ['name', 'users'] as const

/** Adds a group, or sets the members of one. */
export function GroupForm({ name, close }: GroupFormProps) {
  const members = useQuery({ ...membersQuery(name ?? ''), enabled: name !== undefined && name !== '', gcTime: 0 })
  return (
    <FormDialog opened={name !== undefined} onClose={close} title={name === '' ? 'Add a group' : `Members of ${name}`}>
      {name === undefined ? null : name === '' || members.data ? (
        <Fields name={name} members={members.data ?? []} close={close} />
      ) : (
        <Skeleton height={120} />
      )}
    </FormDialog>
  )
}

function Fields({ name, members, close }: { name: string; members: string[]; close: () => void }) {
  const queryClient = useQueryClient()
  const users = useQuery(usersQuery)
  const form = useForm({ initialValues: { name, users: members } })
  const store = useMutation({
    meta: { done: name === '' ? 'Group added.' : 'Members stored.' },
    async mutationFn(values: typeof form.values) {
      if (name === '') await answerOf(api.groups.$post({ json: { name: values.name } }))
      const param = { name: values.name.trim().toLowerCase() }
      return answerOf(api.groups[':name'].members.$put({ param, json: { users: values.users } }))
    },
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: groupsQuery.queryKey })
      close()
    },
    onError: (error) => form.setErrors(fieldErrors(error)),
  })
  return (
    <form onSubmit={form.onSubmit((values) => store.mutate(values))}>
      <Stack gap="md">
        {name === '' && (
          <TextInput
            label="Name"
            description="Letters, digits and . _ -"
            spellCheck={false}
            required
            data-autofocus
            {...form.getInputProps('name')}
          />
        )}
        <MultiSelect
          label="Members"
          data={users.data?.map(({ username }) => username) ?? members}
          searchable
          {...form.getInputProps('users')}
        />
        <FormError error={store.error} fields={fields} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <Button type="submit" loading={store.isPending}>
            {name === '' ? 'Add group' : 'Store members'}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
