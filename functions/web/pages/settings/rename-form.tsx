import { Button, Group, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { answerOf } from '../../../../shared/web/api/answer-of.ts'
import { fieldErrors } from '../../../../shared/web/field-errors.ts'
import { FormError } from '../../../../shared/web/form-error.tsx'
import { useUnsavedChanges } from '../../../../shared/web/use-unsaved-changes.ts'
import { api } from '../../api/api.ts'
import { sessionQuery } from '../../api/session-query.ts'
import { useTeam } from '../../api/use-team.ts'

/** The name of the teamspace, which owners change. */
export function RenameForm() {
  const { id, name, role } = useTeam()
  const queryClient = useQueryClient()
  const form = useForm({ initialValues: { name } })
  const rename = useMutation({
    meta: { done: 'Teamspace renamed.' },
    mutationFn: (json: typeof form.values) => answerOf(api.teamspaces[':team'].$patch({ param: { team: id }, json })),
    onSuccess: async (renamed) => {
      form.setValues({ name: renamed.name })
      await queryClient.refetchQueries({ queryKey: sessionQuery.queryKey })
    },
    onError: (error) => form.setErrors(fieldErrors(error)),
  })
  useUnsavedChanges(form.values.name.trim() !== name && !rename.isPending)
  const isOwner = role === 'owner'
  return (
    <form onSubmit={form.onSubmit((values) => rename.mutate(values))}>
      <Stack gap="sm" maw={480}>
        <TextInput
          label="Name"
          description={isOwner ? 'Keys and addresses of the teamspace stay as they are.' : 'Only owners rename a teamspace.'}
          readOnly={!isOwner}
          required={isOwner}
          {...form.getInputProps('name')}
        />
        <FormError error={rename.error} fields={['name']} />
        {isOwner && (
          <Group gap="sm">
            <Button type="submit" loading={rename.isPending} disabled={form.values.name.trim() === name}>
              Rename
            </Button>
          </Group>
        )}
      </Stack>
    </form>
  )
}
