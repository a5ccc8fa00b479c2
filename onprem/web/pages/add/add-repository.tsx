import { Anchor, Button, Collapse, Group, Stack, Switch, TagsInput, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import styles from '../../../../shared/web/add/add-forms.module.css'
import { AddSeveral } from '../../../../shared/web/add/add-several.tsx'
import { ChooseFile, dropTarget } from '../../../../shared/web/add/choose-file.tsx'
import type { Pasted } from '../../../../shared/web/add/pasted.ts'
import { recognizedQuery } from '../../../../shared/web/add/recognized-query.ts'
import { SourceField } from '../../../../shared/web/add/source-field.tsx'
import { answerOf } from '../../../../shared/web/api/answer-of.ts'
import { fieldErrors } from '../../../../shared/web/field-errors.ts'
import { FormError } from '../../../../shared/web/form-error.tsx'
import { LinkButton, TextLink } from '../../../../shared/web/link-button.tsx'
import { useUnsavedChanges } from '../../../../shared/web/use-unsaved-changes.ts'
import { api } from '../../api/api.ts'
import { ChoosePrivate } from '../settings/choose-private.tsx'
import { queueSource, recognizer, sourceOf } from './add-queries.ts'
import { RepositoryPreview } from './repository-preview.tsx'
import { usePreview } from './use-preview.ts'
import { usePrivateChoice } from './use-private-choice.ts'

const empty = {
  repoUrl: '',
  branch: '',
  versions: [] as string[],
  folders: [] as string[],
  excludeFolders: [] as string[],
  excludeFiles: [] as string[],
  languages: [] as string[],
  generateDocs: false,
  apiReference: false,
  /** Whether the version that the text gives is added, too. */
  withVersion: false,
}
export type RepositoryForm = typeof empty

/** Adds one repository, or several of a pasted list or file. */
export function AddRepository({ onAdded }: { onAdded?: () => void }) {
  const [pasted, setPasted] = useState<Pasted>()
  if (pasted) return <SeveralRepositories pasted={pasted} again={() => setPasted(undefined)} />
  return <OneRepository onSeveral={setPasted} onAdded={onAdded} />
}

function SeveralRepositories(props: { pasted: Pasted; again: () => void }) {
  const { settings } = usePrivateChoice()
  return (
    <AddSeveral
      {...props}
      recognizer={recognizer}
      addOne={queueSource}
      hasVersions
      libraryLink={libraryLink}
      afterwards={
        <LinkButton to="/queue" variant="default">
          Show the queue
        </LinkButton>
      }
      choiceFirst={settings && <ChoosePrivate settings={settings} reason="Some of these repositories may be private." />}
    />
  )
}

const libraryLink = (libraryId: string, words: string) => (
  <TextLink to="/libraries/$" params={{ _splat: libraryId.slice(1) }} size="sm" td="underline">
    {words}
  </TextLink>
)

type OneRepositoryProps = {
  onSeveral: (pasted: Pasted) => void
  /** Replaces the queue, which opens by default. */
  onAdded: (() => void) | undefined
}

function OneRepository({ onSeveral, onAdded }: OneRepositoryProps) {
  const form = useForm({ initialValues: empty })
  const [hasMore, setHasMore] = useState(false)
  const [previewed, setPreviewed] = useState('')
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const choice = usePrivateChoice()
  const fail = (error: Error) => {
    const errors = fieldErrors(error)
    form.setErrors(errors)
    if (Object.keys(errors).some((name) => name !== 'repoUrl')) setHasMore(true)
  }
  /** The request for the repository that the field means. Undefined if it means none or several, which are then shown. */
  const resolve = async (values: RepositoryForm) => {
    const text = values.repoUrl.trim()
    const { repositories, unknown } = await queryClient.fetchQuery(recognizedQuery(recognizer, { text }))
    const [repository] = repositories
    if (!repository) return form.setFieldError('repoUrl', unknown[0]?.problem ?? 'The field names no repository.')
    if (repositories.length + unknown.length > 1) return onSeveral({ text })
    const { version } = repository
    return {
      ...sourceOf(repository),
      ...optionsOf(values),
      ...(values.withVersion && version !== null && { optionalVersions: [version] }),
    }
  }
  const add = useMutation({
    meta: { done: 'The repository is in the Parse Queue.' },
    mutationFn: async (values: RepositoryForm) => {
      const json = await resolve(values)
      if (!json || (await choice.mustWait(json))) return false
      await answerOf(api.parse.$post({ json }))
      return true
    },
    onSuccess: async (isQueued) => {
      if (!isQueued) return
      await queryClient.invalidateQueries()
      if (onAdded) onAdded()
      else await navigate({ to: '/queue' })
    },
    onError: fail,
  })
  useUnsavedChanges(!onAdded && form.isDirty() && !add.isPending && add.data !== true)
  const preview = usePreview(fail)
  const mustChoose = choice.settings !== undefined && (choice.isPrivate || preview.data?.private === true)
  const showPreview = form.onSubmit(async (values) => {
    add.reset()
    const json = await resolve(values).catch(fail)
    if (!json) return
    setPreviewed(JSON.stringify(values))
    preview.mutate(json)
  })
  const onProblem = (problem: string) => form.setFieldError('repoUrl', problem)
  const file = { maxBytes: recognizer.maxBytes, onChoose: onSeveral, onProblem }
  return (
    <form onSubmit={form.onSubmit((values) => add.mutate(values))} {...dropTarget(file)} className={styles.form}>
      <Stack gap="md">
        <SourceField
          recognizer={recognizer}
          field={form.getInputProps('repoUrl')}
          onText={(text) => form.setFieldValue('repoUrl', text)}
          onSeveral={onSeveral}
          libraryLink={libraryLink}
          again="Adding it again refreshes it."
          version={{
            isChosen: form.values.withVersion,
            onChoose: (isChosen) => form.setFieldValue('withVersion', isChosen),
          }}
        />
        <Group gap="lg">
          <Anchor component="button" type="button" size="sm" aria-expanded={hasMore} onClick={() => setHasMore(!hasMore)}>
            {hasMore ? 'Fewer options' : 'Branch, versions, folders and exclusions'}
          </Anchor>
          <ChooseFile {...file} />
        </Group>
        <Collapse expanded={hasMore}>
          <Stack gap="md">
            <TextInput
              label="Branch"
              description="A branch or tag; the default branch if it is empty"
              spellCheck={false}
              {...form.getInputProps('branch')}
            />
            <Tags
              label="Versions"
              description="Tags or branches to index in addition, each as a version of its own. Press Enter after each."
              {...form.getInputProps('versions')}
            />
            <Tags
              label="Folders"
              description="Read only these folders, for example docs. Without one, Carrel finds the documentation."
              {...form.getInputProps('folders')}
            />
            <Tags
              label="Excluded folders"
              description="Names, paths or patterns such as docs/**/archive"
              {...form.getInputProps('excludeFolders')}
            />
            <Tags
              label="Excluded files"
              description="Names or patterns such as *.test.md"
              {...form.getInputProps('excludeFiles')}
            />
            <Tags
              label="Languages"
              description="Codes such as en and zh-CN. Without one, the main language of the documentation is read."
              {...form.getInputProps('languages')}
            />
            <Switch
              label="Write documentation from the source code if there is little of it"
              description="Needs a language model"
              {...form.getInputProps('generateDocs', { type: 'checkbox' })}
            />
            <Switch
              label="Read an API reference from the source code"
              description="Exported names with their signatures and documentation"
              {...form.getInputProps('apiReference', { type: 'checkbox' })}
            />
          </Stack>
        </Collapse>
        {mustChoose && choice.settings && <ChoosePrivate settings={choice.settings} reason="This repository is private." />}
        <FormError error={add.error ?? preview.error} fields={Object.keys(empty)} />
        <Group gap="sm">
          <Button type="submit" loading={add.isPending} disabled={mustChoose}>
            Add Repository
          </Button>
          <Button variant="default" loading={preview.isPending} disabled={add.isPending} onClick={() => showPreview()}>
            Preview
          </Button>
          {preview.isPending && (
            <Button variant="subtle" onClick={preview.cancel}>
              Cancel
            </Button>
          )}
        </Group>
        {preview.isPending && (
          <Text size="sm" c="dimmed" role="status">
            Carrel fetches the repository and lists its documents. Nothing is indexed yet.
          </Text>
        )}
        {preview.data && (
          <RepositoryPreview
            preview={preview.data}
            isOld={previewed !== JSON.stringify(form.values)}
            onVersion={(tag) => {
              setHasMore(true)
              form.setFieldValue('versions', [...new Set([...form.values.versions, tag])])
            }}
          />
        )}
        <Text size="sm" c="dimmed">
          Carrel clones the repository, splits its documentation into snippets and indexes them. You can follow this in the queue.
        </Text>
      </Stack>
    </form>
  )
}

const Tags = (props: React.ComponentProps<typeof TagsInput>) => (
  <TagsInput clearable spellCheck={false} splitChars={[',', ' ']} {...props} />
)

/** Fields that were left empty are not sent, so that the project file of the repository decides. */
const optionsOf = ({ branch, versions, folders, excludeFolders, excludeFiles, languages, ...switches }: RepositoryForm) => ({
  ...(branch.trim() && { branch: branch.trim() }),
  ...(versions.length > 0 && { versions }),
  ...(folders.length > 0 && { folders }),
  ...(excludeFolders.length > 0 && { excludeFolders }),
  ...(excludeFiles.length > 0 && { excludeFiles }),
  ...(languages.length > 0 && { languages }),
  ...(switches.generateDocs && { generateDocs: true }),
  ...(switches.apiReference && { apiReference: true }),
})
