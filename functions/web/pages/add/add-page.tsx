import { Button, Group, Stack, Switch, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { answerOf } from '../../../../shared/web/api/answer-of.ts'
import { ApiError, fieldErrors } from '../../../../shared/web/api/api-error.ts'
import { FormError } from '../../../../shared/web/form-error.tsx'
import { LinkButton, TextLink } from '../../../../shared/web/link-button.tsx'
import { Page } from '../../../../shared/web/page.tsx'
import { api } from '../../api/api.ts'
import { libraryPath } from '../../api/library-path.ts'
import { librariesKey } from '../../api/library-queries.ts'
import { useTeam } from '../../api/use-team.ts'
import { LimitsLink } from '../../frame/limits-link.tsx'
import styles from './add-page.module.css'

const empty = { repoUrl: '', private: false }

/** Adds a public repository, or a private one if role and plan allow it. */
export function AddPage() {
  const { id: team } = useTeam()
  const form = useForm({ initialValues: empty })
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const add = useMutation({
    meta: { done: 'The repository is queued.' },
    mutationFn: async (values: typeof empty) => {
      const call = api.teamspaces[':team'].libraries.$post({
        param: { team },
        json: { ...values, repoUrl: values.repoUrl.trim() },
      })
      return { ...(await answerOf(call)), isNew: (await call).status === 202 }
    },
    onSuccess: async ({ libraryId, isNew }) => {
      await queryClient.invalidateQueries({ queryKey: librariesKey(team) })
      if (isNew) await navigate({ to: '/teamspaces/$team/libraries/$owner/$repo', params: { team, ...libraryPath(libraryId) } })
    },
    onError: (error) => form.setErrors(fieldErrors(error)),
  })
  return (
    <Page title="Add Repository">
      <form onSubmit={form.onSubmit((values) => add.mutate(values))} className={styles.form}>
        <Stack gap="md">
          <TextInput
            label="Repository"
            description="An address on GitHub or GitLab, owner/repository, or the name or page of a package"
            placeholder="https://github.com/honojs/website"
            required
            data-autofocus
            spellCheck={false}
            {...form.getInputProps('repoUrl')}
          />
          <PrivateChoice team={team} input={form.getInputProps('private', { type: 'checkbox' })} />
          <FormError error={add.error} fields={['repoUrl']} />
          {add.error && <NextStep team={team} error={add.error} />}
          <Group gap="sm">
            <Button type="submit" loading={add.isPending}>
              Add Repository
            </Button>
          </Group>
          {add.data && !add.data.isNew && (
            <Group gap="sm" role="status">
              <Text size="sm">{add.data.message}</Text>
              <LinkButton
                size="xs"
                variant="default"
                to="/teamspaces/$team/libraries/$owner/$repo"
                params={{ team, ...libraryPath(add.data.libraryId) }}
              >
                Show library
              </LinkButton>
            </Group>
          )}
          <Text size="sm" c="dimmed">
            Carrel fetches the repository, splits its documentation into snippets and indexes them. Everyone can search a public
            library; a private one only your teamspace.
          </Text>
        </Stack>
      </form>
    </Page>
  )
}

type PrivateChoiceProps = { team: string; input: { checked?: boolean } }

/** The choice of a private repository, or why it is not there. */
function PrivateChoice({ team, input }: PrivateChoiceProps) {
  const { role, plan } = useTeam()
  if (role === 'developer')
    return (
      <Text size="sm" c="dimmed">
        Only owners and admins of a teamspace can add private repositories.
      </Text>
    )
  if (plan === 'free')
    return (
      <Text size="sm" c="dimmed">
        Private repositories require the plan Team or Enterprise. <LimitsLink team={team} />
      </Text>
    )
  return (
    <Switch
      label="Private repository"
      description="Read with the token of your teamspace, and only for its members and keys"
      {...input}
    />
  )
}

/** Links to the page that fixes the cause of an error. */
function NextStep({ team, error }: { team: string; error: Error }) {
  const code = error instanceof ApiError ? error.code : ''
  if (code === 'not_configured')
    return (
      <TextLink to="/teamspaces/$team/settings/git-tokens" params={{ team }} size="sm" td="underline">
        Store a git token
      </TextLink>
    )
  if (code === 'rate_limit_exceeded' || code === 'forbidden') return <LimitsLink team={team} />
  return null
}
