import { Button, Group, MultiSelect, Radio, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { answerOf, ifMatch } from '../../../../shared/web/api/answer-of.ts'
import { fieldErrors } from '../../../../shared/web/field-errors.ts'
import { FormDialog } from '../../../../shared/web/form-dialog.tsx'
import { FormError } from '../../../../shared/web/form-error.tsx'
import { type ListedGroup, type ListedRule, libraryRulesQuery } from '../../api/access-queries.ts'
import { api } from '../../api/api.ts'
import { usersQuery } from '../../api/queries.ts'

type LibraryRuleFormProps = {
  /** Undefined while the dialog is closed. */
  rule: ListedRule | 'new' | undefined
  groups: readonly ListedGroup[]
  close: () => void
}

const fields = ['pattern', 'access', 'groups', 'users'] as const

/** Adds a rule, or changes who may read the libraries of one. */
export const LibraryRuleForm = ({ rule, groups, close }: LibraryRuleFormProps) => (
  <FormDialog opened={rule !== undefined} onClose={close} title={rule === 'new' ? 'Add a rule' : 'Change the rule'}>
    {rule !== undefined && <Fields rule={rule === 'new' ? undefined : rule} groups={groups} close={close} />}
  </FormDialog>
)

type FieldsProps = Pick<LibraryRuleFormProps, 'groups' | 'close'> & { rule: ListedRule | undefined }

function Fields({ rule, groups, close }: FieldsProps) {
  const queryClient = useQueryClient()
  const users = useQuery(usersQuery)
  const form = useForm<Pick<ListedRule, (typeof fields)[number]>>({
    initialValues: rule ?? { pattern: '', access: 'restricted', groups: [], users: [] },
  })
  const store = useMutation({
    meta: { done: 'Rule stored.' },
    mutationFn({ pattern, access, ...named }: typeof form.values) {
      const json = {
        pattern: pattern.trim(),
        access,
        ...(access === 'restricted' && { groups: named.groups, users: named.users }),
      }
      return answerOf(api['library-rules'].$put({ json }, rule && ifMatch(rule.etag)))
    },
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: libraryRulesQuery.queryKey })
      close()
    },
    onError: (error) => form.setErrors(fieldErrors(error)),
  })
  const names = (chosen: readonly string[], all: readonly string[]) => [...new Set([...all, ...chosen])]
  return (
    <form onSubmit={form.onSubmit((values) => store.mutate(values))}>
      <Stack gap="md">
        <TextInput
          label="Libraries"
          description="An id such as /acme/kit. A * stands for any characters: /acme/*"
          placeholder="/acme/*"
          spellCheck={false}
          required
          disabled={rule !== undefined}
          data-autofocus={rule === undefined || undefined}
          {...form.getInputProps('pattern')}
        />
        <Radio.Group label="Who may read them" {...form.getInputProps('access')}>
          <Stack gap="xs" mt={6}>
            <Radio
              value="public"
              label="All who may read"
              description="Also callers without a key, unless the permissions forbid it"
            />
            <Radio
              value="internal"
              label="Signed-in people and keys"
              description="Nobody without a key, whatever the permissions say"
            />
            <Radio
              value="host"
              label="People whom the git host lets read the repository"
              description="GitHub and GitLab; an admin says which account a user has there. And admins"
            />
            <Radio value="restricted" label="Only these groups and users" description="And admins" />
          </Stack>
        </Radio.Group>
        {form.values.access === 'restricted' && (
          <>
            <MultiSelect
              label="Groups"
              data={names(
                form.values.groups,
                groups.map(({ name }) => name),
              )}
              searchable
              {...form.getInputProps('groups')}
            />
            <MultiSelect
              label="Users"
              data={names(form.values.users, users.data?.map(({ username }) => username) ?? [])}
              searchable
              {...form.getInputProps('users')}
            />
          </>
        )}
        <FormError error={store.error} fields={fields} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <Button type="submit" loading={store.isPending}>
            Store rule
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
