import { Button, Group, Stack, Switch, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import styles from '../../../../shared/web/add/add-forms.module.css'
import { AddSeveral } from '../../../../shared/web/add/add-several.tsx'
import { ChooseFile, dropTarget } from '../../../../shared/web/add/choose-file.tsx'
import type { Pasted, RecognizedRepository, Recognizer } from '../../../../shared/web/add/pasted.ts'
import { recognizedQuery } from '../../../../shared/web/add/recognized-query.ts'
import { SourceField } from '../../../../shared/web/add/source-field.tsx'
import { answerOf } from '../../../../shared/web/api/answer-of.ts'
import { ApiError } from '../../../../shared/web/api/api-error.ts'
import { fieldErrors } from '../../../../shared/web/field-errors.ts'
import { FormError } from '../../../../shared/web/form-error.tsx'
import { LinkButton, TextLink } from '../../../../shared/web/link-button.tsx'
import { useUnsavedChanges } from '../../../../shared/web/use-unsaved-changes.ts'
import { api } from '../../api/api.ts'
import { libraryPath } from '../../api/library-path.ts'
import { librariesKey } from '../../api/library-queries.ts'
import { useTeam } from '../../api/use-team.ts'
import { LimitsLink } from '../../frame/limits-link.tsx'
import { PrivateOnly } from './private-only.tsx'

const empty = { repoUrl: '', private: false }

type Values = typeof empty

/** Adds a public repository, or a private one if role and plan allow it; or several public ones of a pasted list or file. */
export function AddRepository() {
  const [pasted, setPasted] = useState<Pasted>()
  return pasted ? (
    <SeveralRepositories pasted={pasted} again={() => setPasted(undefined)} />
  ) : (
    <OneRepository onSeveral={setPasted} />
  )
}

function SeveralRepositories(props: { pasted: Pasted; again: () => void }) {
  const { id: team } = useTeam()
  const [recognizer, libraryLink] = [recognizerOf(team), libraryLinkOf(team)]
  return (
    <AddSeveral
      {...props}
      recognizer={recognizer}
      addOne={async (repository) =>
        (await addLibrary(team, { repoUrl: addressOf(repository), private: false })).isNew ? 'Queued' : 'In your list'
      }
      hasVersions={false}
      libraryLink={libraryLink}
      afterwards={
        <LinkButton to="/teamspaces/$team/libraries" params={{ team }} variant="default">
          Show libraries
        </LinkButton>
      }
    />
  )
}

/** The size that a function of AWS receives, with escaped line ends. */
const maxFileBytes = 4 * 2 ** 20

const recognizerOf = (team: string): Recognizer => ({
  recognize: (json) => answerOf(api.teamspaces[':team'].libraries.recognize.$post({ param: { team }, json })),
  maxBytes: maxFileBytes,
})

const libraryLinkOf = (team: string) => (libraryId: string, words: string) => (
  <TextLink to="/teamspaces/$team/libraries/$owner/$repo" params={{ team, ...libraryPath(libraryId) }} size="sm" td="underline">
    {words}
  </TextLink>
)

/** The service knows the folders of a known library by its title. */
const addressOf = ({ title, repoUrl }: RecognizedRepository): string => title ?? repoUrl

async function addLibrary(team: string, json: Values) {
  const call = api.teamspaces[':team'].libraries.$post({ param: { team }, json })
  return { ...(await answerOf(call)), isNew: (await call).status === 202 }
}

function OneRepository({ onSeveral }: { onSeveral: (pasted: Pasted) => void }) {
  const { id: team } = useTeam()
  const form = useForm({ initialValues: empty })
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const recognizer = recognizerOf(team)
  const add = useMutation({
    meta: { done: 'The repository is in your list.' },
    mutationFn: async (values: Values) => {
      const text = values.repoUrl.trim()
      const { repositories, unknown } = await queryClient.fetchQuery(recognizedQuery(recognizer, { text }))
      const [repository] = repositories
      if (repositories.length + unknown.length > 1) {
        onSeveral({ text })
        return false as const
      }
      // A name that is not recognised gets the error of the route.
      return addLibrary(team, { ...values, repoUrl: repository ? addressOf(repository) : text })
    },
    onSuccess: async (added) => {
      if (!added) return
      await queryClient.invalidateQueries({ queryKey: librariesKey(team) })
      const path = { team, ...libraryPath(added.libraryId) }
      if (added.isNew) await navigate({ to: '/teamspaces/$team/libraries/$owner/$repo', params: path })
    },
    onError: (error) => form.setErrors(fieldErrors(error)),
  })
  const file = {
    maxBytes: recognizer.maxBytes,
    onChoose: onSeveral,
    onProblem: (problem: string) => form.setFieldError('repoUrl', problem),
  }
  useUnsavedChanges(form.isDirty() && !add.isPending && !add.data)
  return (
    <form onSubmit={form.onSubmit((values) => add.mutate(values))} {...dropTarget(file)} className={styles.form}>
      <Stack gap="md">
        <SourceField
          recognizer={recognizer}
          field={form.getInputProps('repoUrl')}
          onText={(text) => form.setFieldValue('repoUrl', text)}
          onSeveral={onSeveral}
          libraryLink={libraryLinkOf(team)}
        />
        <Group gap="lg">
          <ChooseFile {...file} />
        </Group>
        <PrivateOnly what="private repositories">
          <Switch
            label="Private repository"
            description="Read with the token of your teamspace, and only for its members and keys"
            {...form.getInputProps('private', { type: 'checkbox' })}
          />
        </PrivateOnly>
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
