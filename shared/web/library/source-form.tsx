import { Button, Fieldset, Group, Select, Stack, Switch, TagsInput, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import type { SourceAnswer } from '../../indexing/source-change.ts'
import { fieldErrors } from '../field-errors.ts'
import { FormError } from '../form-error.tsx'
import { useUnsavedChanges } from '../use-unsaved-changes.ts'
import { FreshnessFields, type FreshnessValues, freshnessChange, freshnessValues } from './freshness-fields.tsx'
import styles from './source-form.module.css'

const scopes = [
  { value: 'default', label: 'As the project file says, else everything' },
  { value: 'all', label: 'The whole repository' },
  { value: 'folders', label: 'Only these folders' },
] as const
const flaggedRules = [
  { value: 'mark', label: 'Mark them, withhold what people cannot see' },
  { value: 'withhold', label: 'Withhold them' },
  { value: 'serve', label: 'Serve them like others' },
] as const
type Scope = (typeof scopes)[number]['value']

/** The settings of a library, and the state that a change of them is based on. */
export type ShownSource = SourceAnswer & { etag: string }

/** `null` restores the default. */
export type ChangedSource = ReturnType<typeof changeOf>

type SourceFormProps<Saved> = {
  source: ShownSource
  /** Why nothing can be saved now. */
  locked: string | undefined
  /** True if nobody can change the settings here. */
  isReadOnly?: boolean
  /** Sends a change that is based on an ETag. Throws Conflict. */
  save: (change: ChangedSource, etag: string) => Promise<Saved>
  /** What is shown after a change. */
  afterwards: (saved: Saved) => ReactNode
}

/** The settings of the next refresh. An empty field restores its default. */
export function SourceForm<Saved extends ShownSource>({
  source,
  locked,
  isReadOnly = false,
  save: send,
  afterwards,
}: SourceFormProps<Saved>) {
  const [saved, setSaved] = useState(false)
  const [loaded, setLoaded] = useState(source)
  const form = useForm({ initialValues: valuesOf(source) })
  const load = (latest: ShownSource) => {
    setLoaded(latest)
    form.setInitialValues(valuesOf(latest))
    form.reset()
  }
  const save = useMutation({
    meta: { done: 'Settings saved.' },
    mutationFn: (values: Values) => send(changeOf(values), loaded.etag),
    onSuccess: (changed) => {
      load(changed)
      setSaved(true)
    },
    onError: (error) => form.setErrors(byField(fieldErrors(error))),
  })
  useUnsavedChanges(form.isDirty())
  // A form without changes follows the stored settings.
  useEffect(() => {
    if (source.etag !== loaded.etag && !form.isDirty()) load(source)
  })
  return (
    <form onSubmit={form.onSubmit((values) => save.mutate(values))} onChange={() => setSaved(false)} className={styles.form}>
      <Stack gap="md">
        <Fieldset disabled={isReadOnly} variant="unstyled">
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
            <FreshnessFields form={form} />
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
            <Select
              label="Flagged passages"
              description="What answers do with passages that may hold instructions aimed at agents"
              data={flaggedRules}
              allowDeselect={false}
              {...form.getInputProps('flagged')}
            />
            <Switch
              label="Read an API reference from the source code"
              description="Exported names with their signatures and documentation"
              {...form.getInputProps('apiReference', { type: 'checkbox' })}
            />
          </Stack>
        </Fieldset>
        <FormError
          error={save.error}
          fields={[
            'branch',
            'versions',
            'cron',
            'timeZone',
            'tags',
            'keep',
            'folders',
            'excludeFolders',
            'excludeFiles',
            'languages',
            'flagged',
            'apiReference',
          ]}
        />
        {locked !== undefined && (
          <Text size="sm" c="dimmed">
            {locked}
          </Text>
        )}
        {!isReadOnly && (
          <Group>
            <Button type="submit" loading={save.isPending} disabled={locked !== undefined || !form.isDirty()}>
              Save settings
            </Button>
          </Group>
        )}
        {saved && save.data && afterwards(save.data)}
      </Stack>
    </form>
  )
}

const Tags = (props: React.ComponentProps<typeof TagsInput>) => (
  <TagsInput clearable spellCheck={false} splitChars={[',', ' ']} acceptValueOnBlur {...props} />
)

type Values = FreshnessValues & {
  branch: string
  versions: string[]
  scope: Scope
  folders: string[]
  excludeFolders: string[]
  excludeFiles: string[]
  languages: string[]
  flagged: SourceAnswer['flagged']
  apiReference: boolean
}

const valuesOf = ({ branch, versions, folders, excludeFolders, excludeFiles, languages, ...source }: SourceAnswer): Values => ({
  ...freshnessValues({ branch, versions, folders, excludeFolders, excludeFiles, languages, ...source }),
  branch: branch ?? '',
  versions,
  scope: folders === null ? 'default' : folders.length === 0 ? 'all' : 'folders',
  folders: folders ?? [],
  excludeFolders: excludeFolders ?? [],
  excludeFiles: excludeFiles ?? [],
  languages: languages ?? [],
  flagged: source.flagged,
  apiReference: source.apiReference,
})

const changeOf = ({
  branch,
  versions,
  scope,
  folders,
  excludeFolders,
  excludeFiles,
  languages,
  flagged,
  apiReference,
  ...freshness
}: Values) => ({
  ...freshnessChange(freshness),
  branch: branch.trim() || null,
  versions,
  folders: scope === 'default' || (scope === 'folders' && folders.length === 0) ? null : scope === 'all' ? [] : folders,
  excludeFolders: orDefault(excludeFolders),
  excludeFiles: orDefault(excludeFiles),
  languages: orDefault(languages),
  flagged,
  apiReference,
})

const orDefault = (patterns: string[]) => (patterns.length === 0 ? null : patterns)

/** The error of an element is shown at its list. */
const byField = (errors: Record<string, ReactNode>) =>
  Object.fromEntries(
    Object.entries(errors).map(([path, message]) => {
      const [field = path, part] = path.split('.')
      return [field === 'schedule' || field === 'tagRule' ? (part ?? (field === 'tagRule' ? 'tags' : field)) : field, message]
    }),
  )
