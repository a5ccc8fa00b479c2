import { Button, Group, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { answerOf } from '../../../../shared/web/api/answer-of.ts'
import { fieldErrors } from '../../../../shared/web/field-errors.ts'
import { FormError } from '../../../../shared/web/form-error.tsx'
import { Page } from '../../../../shared/web/page.tsx'
import { useUnsavedChanges } from '../../../../shared/web/use-unsaved-changes.ts'
import { api } from '../../api/api.ts'
import { sessionQuery } from '../../api/session-query.ts'

export const NewTeamspacePage = () => (
  <Page
    title="New teamspace"
    facts="A teamspace has members, API keys, libraries, a policy and usage of its own. You become its owner, and it starts with the free plan."
  >
    <NewTeamspaceForm />
  </Page>
)

function NewTeamspaceForm() {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const form = useForm({ initialValues: { name: '' } })
  const create = useMutation({
    meta: { done: 'Teamspace created.' },
    mutationFn: (json: typeof form.values) => answerOf(api.teamspaces.$post({ json })),
    onSuccess: async ({ id }) => {
      await queryClient.refetchQueries({ queryKey: sessionQuery.queryKey })
      await navigate({ to: '/teamspaces/$team', params: { team: id } })
    },
    onError: (error) => form.setErrors(fieldErrors(error)),
  })
  useUnsavedChanges(form.isDirty() && !create.isPending && !create.isSuccess)
  return (
    <form onSubmit={form.onSubmit((values) => create.mutate(values))}>
      <Stack gap="md" maw={480}>
        <TextInput
          label="Name"
          description="The name of your team or company. Nobody else has a teamspace of this name, and you can change it."
          autoComplete="organization"
          required
          {...form.getInputProps('name')}
        />
        <FormError error={create.error} fields={['name']} />
        <Group>
          <Button type="submit" loading={create.isPending}>
            Create teamspace
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
