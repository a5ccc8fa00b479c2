import { Button, Group, Radio, Stack, Switch, Title } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import type { Policy } from '../../policy/policy.ts'
import { policyDiff } from '../../policy/policy-diff.ts'
import { fieldErrors } from '../field-errors.ts'
import { FormError } from '../form-error.tsx'
import { useUnsavedChanges } from '../use-unsaved-changes.ts'
import { EntriesInput } from './entries-input.tsx'
import styles from './policy-form.module.css'
import { QualityFilters } from './quality-filters.tsx'
import { type PreviewQuery, type Reach, ReachedLibraries } from './reached-libraries.tsx'
import { usePolicyForm } from './use-policy-form.ts'

const sources = [
  ['public_repos', 'Public repositories'],
  ['websites', 'Websites'],
  ['llmstxt', 'llms.txt files'],
  ['private_sources', 'Private sources of your teamspace'],
  ['confluence', 'Confluence'],
  ['uploaded_files', 'Uploaded files'],
] as const

const modes = [
  ['all', 'All libraries', 'The sources above are the only limit'],
  [
    'quality',
    'Libraries that pass filters',
    'Each filter that is set must be met; what is unknown about a library is no reason to exclude it',
  ],
  ['select', 'Listed libraries only', 'Nothing else is found'],
] as const

type PolicyFormProps = {
  policy: Policy & Reach
  /** What is said of the libraries that the policy lets through: completes "12 libraries …". They are not counted without it. */
  reachWords?: string | undefined
  preview?: PreviewQuery
  /** Only shown, to those who may not change it. */
  isReadOnly?: boolean
  save: (wanted: Policy) => Promise<unknown>
}

/** The policy with all its filters. */
export function PolicyForm({ policy, reachWords, preview, isReadOnly = false, save: savePolicy }: PolicyFormProps) {
  const form = usePolicyForm(policy)
  const save = useMutation({
    meta: { done: 'Policy saved.' },
    mutationFn: () => savePolicy(form.values),
    onError: (error) => form.setErrors(fieldErrors(error)),
  })
  const mode = form.values.libraryFilters.mode
  const change = policyDiff(policy, form.values)
  useUnsavedChanges(change !== undefined)
  return (
    <form onSubmit={form.onSubmit(() => save.mutate())}>
      <fieldset className={styles.fields} disabled={isReadOnly}>
        <Stack gap="lg">
          {reachWords !== undefined && <ReachedLibraries stored={policy} words={reachWords} change={change} preview={preview} />}
          <div>
            <Title order={2} mb="xs">
              Sources
            </Title>
            <div className={styles.sources}>
              {sources.map(([name, label]) => (
                <Switch key={name} label={label} {...form.getInputProps(`sourceTypes.${name}.enabled`, { type: 'checkbox' })} />
              ))}
            </div>
          </div>
          <Radio.Group
            label={<Title order={2}>Libraries</Title>}
            value={mode ?? 'all'}
            onChange={(value) =>
              form.setFieldValue('libraryFilters.mode', value === 'all' ? null : (value as 'quality' | 'select'))
            }
          >
            <Stack gap="xs" mt="xs">
              {modes.map(([value, label, description]) => (
                <Radio key={value} value={value} label={label} description={description} />
              ))}
            </Stack>
          </Radio.Group>
          {mode === 'quality' && <QualityFilters form={form} />}
          {mode === 'select' && (
            <EntriesInput
              label="Allowed libraries"
              description="/owner/repo, /owner, or a domain"
              {...form.getInputProps('libraryFilters.select.allowedLibraries')}
            />
          )}
          <FormError error={save.error} fields={[]} />
          {!isReadOnly && (
            <Group gap="xs">
              <Button type="submit" disabled={change === undefined} loading={save.isPending}>
                Save policy
              </Button>
              {change && (
                <Button variant="default" onClick={() => form.reset()}>
                  Discard changes
                </Button>
              )}
            </Group>
          )}
        </Stack>
      </fieldset>
    </form>
  )
}
