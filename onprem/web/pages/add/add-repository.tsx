import { Anchor, Button, Collapse, Group, Stack, Switch, TagsInput, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { answerOf } from '../../../../shared/web/api/answer-of.ts'
import { fieldErrors } from '../../../../shared/web/api/api-error.ts'
import { FormError } from '../../../../shared/web/form-error.tsx'
import { api } from '../../api/api.ts'
import { ChoosePrivate } from '../settings/choose-private.tsx'
import styles from './add-page.module.css'
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
}
export type RepositoryForm = typeof empty

export function AddRepository() {
  const form = useForm({ initialValues: empty })
  const [hasMore, setHasMore] = useState(false)
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const choice = usePrivateChoice()
  const fail = (error: Error) => {
    const errors = fieldErrors(error)
    form.setErrors(errors)
    if (Object.keys(errors).some((name) => name !== 'repoUrl')) setHasMore(true)
  }
  const add = useMutation({
    mutationFn: async (values: RepositoryForm) => {
      const json = requestOf(values)
      if (await choice.mustWait(json)) return false
      await answerOf(api.parse.$post({ json }))
      return true
    },
    onSuccess: async (isQueued) => {
      if (!isQueued) return
      await queryClient.invalidateQueries()
      await navigate({ to: '/queue' })
    },
    onError: fail,
  })
  const preview = usePreview(fail)
  const mustChoose = choice.settings !== undefined && (choice.isPrivate || preview.data?.private === true)
  const showPreview = form.onSubmit((values) => {
    add.reset()
    preview.mutate(requestOf(values))
  })
  return (
    <form onSubmit={form.onSubmit((values) => add.mutate(values))} className={styles.form}>
      <Stack gap="md">
        <TextInput
          label="Repository"
          description="An address on GitHub or GitLab, also of a branch or folder, or owner/repository"
          placeholder="https://github.com/honojs/website"
          required
          data-autofocus
          spellCheck={false}
          {...form.getInputProps('repoUrl')}
        />
        <div>
          <Anchor component="button" type="button" size="sm" aria-expanded={hasMore} onClick={() => setHasMore(!hasMore)}>
            {hasMore ? 'Fewer options' : 'Branch, versions, folders and exclusions'}
          </Anchor>
        </div>
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
            isOld={JSON.stringify(preview.variables) !== JSON.stringify(requestOf(form.values))}
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
function requestOf({
  repoUrl,
  branch,
  versions,
  folders,
  excludeFolders,
  excludeFiles,
  languages,
  generateDocs,
}: RepositoryForm) {
  return {
    repoUrl: repoUrl.trim(),
    ...(branch.trim() && { branch: branch.trim() }),
    ...(versions.length > 0 && { versions }),
    ...(folders.length > 0 && { folders }),
    ...(excludeFolders.length > 0 && { excludeFolders }),
    ...(excludeFiles.length > 0 && { excludeFiles }),
    ...(languages.length > 0 && { languages }),
    ...(generateDocs && { generateDocs }),
  }
}
