import { Alert, Button, Group, Radio, Stack, Switch, Text, Title } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { CircleAlert } from 'lucide-react'
import type { Policy } from '../../policy/policy.ts'
import { policyDiff } from '../../policy/policy-diff.ts'
import { fieldErrors } from '../api/api-error.ts'
import { FormError } from '../form-error.tsx'
import { countOf } from '../format.ts'
import { EntriesInput } from './entries-input.tsx'
import styles from './policy-form.module.css'
import { QualityFilters } from './quality-filters.tsx'
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

/** A policy, and what it lets through. `isUnavailable`: the hosted service did not respond, so that this is the policy that is stored here. */
export type ShownPolicy = Policy & {
  accessibleLibraryCount: number
  unknownSignals: readonly { filter: string; libraries: number }[]
  isUnavailable: boolean
}

type PolicyFormProps = {
  policy: ShownPolicy
  /** Whether the hosted service counts the libraries that it lets through. */
  isCounted: boolean
  save: (wanted: Policy) => Promise<unknown>
}

/** The policy with all its filters. */
export function PolicyForm({ policy, isCounted, save: savePolicy }: PolicyFormProps) {
  const form = usePolicyForm(policy)
  const save = useMutation({
    mutationFn: () => savePolicy(form.values),
    onError: (error) => form.setErrors(fieldErrors(error)),
  })
  const mode = form.values.libraryFilters.mode
  const isChanged = policyDiff(policy, form.values) !== undefined
  return (
    <form onSubmit={form.onSubmit(() => save.mutate())}>
      <Stack gap="lg">
        {isCounted && <Reached policy={policy} />}
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
        <Group gap="xs">
          <Button type="submit" disabled={!isChanged} loading={save.isPending}>
            Save policy
          </Button>
          {isChanged && (
            <Button variant="default" onClick={() => form.reset()}>
              Discard changes
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  )
}

function Reached({ policy: { accessibleLibraryCount, unknownSignals, isUnavailable } }: { policy: ShownPolicy }) {
  const unknown = unknownSignals.map(
    ({ filter, libraries }) => `${filter.split('.').at(-1)} (${countOf(libraries, 'library', 'libraries')})`,
  )
  if (isUnavailable)
    return (
      <Alert color="yellow" icon={<CircleAlert size={18} aria-hidden />} title="The hosted service does not respond">
        Changes are stored here, and sent when it responds again.
      </Alert>
    )
  return (
    <Text size="sm">
      {countOf(accessibleLibraryCount, 'library', 'libraries')} of the hosted service can be found.
      {unknown.length > 0 && ` Not filtered, because the value is unknown: ${unknown.join(', ')}.`}
    </Text>
  )
}
