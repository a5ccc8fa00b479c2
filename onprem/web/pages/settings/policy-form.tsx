import { Alert, Button, Group, Radio, Stack, Switch, Text, Title } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { CircleAlert } from 'lucide-react'
import { policyDiff } from '../../../../shared/policy/policy-diff.ts'
import { countOf } from '../../../../shared/web/format.ts'
import { fieldErrors } from '../../api/api-error.ts'
import { FormError } from '../../frame/form-error.tsx'
import { EntriesInput } from './entries-input.tsx'
import styles from './policy-form.module.css'
import { type PolicyAnswer, policyQuery } from './policy-query.ts'
import { QualityFilters } from './quality-filters.tsx'
import { savePolicy } from './save-policy.ts'
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

/** The policy with all its filters. Only changed fields are sent. */
export function PolicyForm({ policy, disabled }: { policy: PolicyAnswer; disabled: boolean }) {
  const queryClient = useQueryClient()
  const form = usePolicyForm(policy)
  const save = useMutation({
    mutationFn: () => savePolicy(policy, form.values),
    onSuccess: (answer) => queryClient.setQueryData(policyQuery.queryKey, answer),
    onError: (error) => form.setErrors(fieldErrors(error)),
  })
  const mode = form.values.libraryFilters.mode
  const isChanged = policyDiff(policy, form.values) !== undefined
  return (
    <form onSubmit={form.onSubmit(() => save.mutate())}>
      <fieldset disabled={disabled} className={styles.fields}>
        <Stack gap="lg">
          {!disabled && <Reached policy={policy} />}
          <div>
            <Title order={2} mb="xs">
              Sources
            </Title>
            <div className={styles.sources}>
              {sources.map(([name, label]) => (
                <Switch
                  key={name}
                  label={label}
                  disabled={disabled}
                  {...form.getInputProps(`sourceTypes.${name}.enabled`, { type: 'checkbox' })}
                />
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
                <Radio key={value} value={value} label={label} description={description} disabled={disabled} />
              ))}
            </Stack>
          </Radio.Group>
          {mode === 'quality' && <QualityFilters form={form} disabled={disabled} />}
          {mode === 'select' && (
            <EntriesInput
              label="Allowed libraries"
              description="/owner/repo, /owner, or a domain"
              disabled={disabled}
              {...form.getInputProps('libraryFilters.select.allowedLibraries')}
            />
          )}
          <FormError error={save.error} fields={[]} />
          <Group gap="xs">
            <Button type="submit" disabled={disabled || !isChanged} loading={save.isPending}>
              Save policy
            </Button>
            {isChanged && (
              <Button variant="default" onClick={() => form.reset()}>
                Discard changes
              </Button>
            )}
          </Group>
        </Stack>
      </fieldset>
    </form>
  )
}

function Reached({ policy: { accessibleLibraryCount, unknownSignals, isUnavailable } }: { policy: PolicyAnswer }) {
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
