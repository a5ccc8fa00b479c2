import { Button, Group, Select, Stack, TagsInput, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { fieldErrors } from '../../../../shared/web/api/api-error.ts'
import { FormError } from '../../../../shared/web/form-error.tsx'
import { changeSource, type Source, sourceQuery } from '../../api/queries.ts'
import styles from './library-page.module.css'
import { SourceSaved } from './source-saved.tsx'

const scopes = [
  { value: 'default', label: 'As the project file says, else everything' },
  { value: 'all', label: 'The whole repository' },
  { value: 'folders', label: 'Only these folders' },
] as const
type Scope = (typeof scopes)[number]['value']

/** The settings of the next refresh. An empty field restores its default. */
export function SourceForm({ id, source, busy }: { id: string; source: Source; busy: boolean }) {
  const queryClient = useQueryClient()
  const [saved, setSaved] = useState(false)
  const [loaded, setLoaded] = useState(source)
  const form = useForm({ initialValues: valuesOf(source) })
  const load = (latest: Source) => {
    setLoaded(latest)
    form.setInitialValues(valuesOf(latest))
    form.reset()
  }
  const save = useMutation({
    mutationFn: (values: Values) => changeSource(id, loaded.etag, changeOf(values)),
    onSuccess: ({ message: _, ...changed }) => {
      load(changed)
      setSaved(true)
      queryClient.setQueryData(sourceQuery(id).queryKey, changed)
    },
    onError: (error) => form.setErrors(byField(fieldErrors(error))),
  })
  // A form without changes follows the stored settings.
  useEffect(() => {
    if (source.etag !== loaded.etag && !form.isDirty()) load(source)
  })
  return (
    <form onSubmit={form.onSubmit((values) => save.mutate(values))} onChange={() => setSaved(false)} className={styles.form}>
      <Stack gap="md">
        <TextInput label="Repository" value={source.repoUrl} readOnly description="Another repository is another library" />
        <TextInput
          label="Branch"
          description="A branch or tag; the default branch if it is empty"
          spellCheck={false}
          {...form.getInputProps('branch')}
        />
        <Tags
          label="Versions"
          description="Tags and branches to index in addition. A version with content is deleted under Versions."
          {...form.getInputProps('versions')}
        />
        <Select label="Read" data={scopes} allowDeselect={false} {...form.getInputProps('scope')} />
        {form.values.scope === 'folders' && (
          <Tags label="Folders" description="Paths such as docs or packages/*/docs" {...form.getInputProps('folders')} />
        )}
        <Tags
          label="Excluded folders"
          description="Names, paths or patterns; usual ones such as archives if it is empty"
          {...form.getInputProps('excludeFolders')}
        />
        <Tags
          label="Excluded files"
          description="Names or patterns such as *.test.md; change logs and licenses if it is empty"
          {...form.getInputProps('excludeFiles')}
        />
        <Tags
          label="Languages"
          description="Codes such as en and zh-CN; the main language of the documentation if it is empty"
          {...form.getInputProps('languages')}
        />
        <FormError error={save.error} fields={['branch', 'versions', 'folders', 'excludeFolders', 'excludeFiles', 'languages']} />
        {busy && (
          <Text size="sm" c="dimmed">
            A job of this library is unfinished. Settings can be saved when it has ended.
          </Text>
        )}
        <Group>
          <Button type="submit" loading={save.isPending} disabled={busy || !form.isDirty()}>
            Save settings
          </Button>
        </Group>
        {saved && save.data && <SourceSaved id={id} source={save.data} />}
      </Stack>
    </form>
  )
}

const Tags = (props: React.ComponentProps<typeof TagsInput>) => (
  <TagsInput clearable spellCheck={false} splitChars={[',', ' ']} acceptValueOnBlur {...props} />
)

type Values = {
  branch: string
  versions: string[]
  scope: Scope
  folders: string[]
  excludeFolders: string[]
  excludeFiles: string[]
  languages: string[]
}

const valuesOf = ({ branch, versions, folders, excludeFolders, excludeFiles, languages }: Source): Values => ({
  branch: branch ?? '',
  versions,
  scope: folders === null ? 'default' : folders.length === 0 ? 'all' : 'folders',
  folders: folders ?? [],
  excludeFolders: excludeFolders ?? [],
  excludeFiles: excludeFiles ?? [],
  languages: languages ?? [],
})

const changeOf = ({ branch, versions, scope, folders, excludeFolders, excludeFiles, languages }: Values) => ({
  branch: branch.trim() || null,
  versions,
  folders: scope === 'default' || (scope === 'folders' && folders.length === 0) ? null : scope === 'all' ? [] : folders,
  excludeFolders: orDefault(excludeFolders),
  excludeFiles: orDefault(excludeFiles),
  languages: orDefault(languages),
})

const orDefault = (patterns: string[]) => (patterns.length === 0 ? null : patterns)

/** The error of an element is shown at its list. */
const byField = (errors: Record<string, string>) =>
  Object.fromEntries(Object.entries(errors).map(([path, message]) => [path.split('.')[0] ?? path, message]))
