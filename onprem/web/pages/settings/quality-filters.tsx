import { NumberInput, Stack, Switch } from '@mantine/core'
import { EntriesInput } from './entries-input.tsx'
import styles from './policy-form.module.css'
import type { PolicyFormApi } from './use-policy-form.ts'

const numbers = [
  ['minTrustScore', 'Minimum trust score, 0 to 10'],
  ['maxAgeDays', 'Maximum days since the last update'],
  ['repoFilters.minStars', 'Minimum stars of a repository'],
  ['websiteFilters.minBacklinks', 'Minimum backlinks of a website'],
  ['websiteFilters.minReferringDomains', 'Minimum domains that link to a website'],
  ['websiteFilters.minOrganicTraffic', 'Minimum visitors of a website per month'],
] as const

const lists = [
  ['repoFilters.allowedLicenses', 'Licenses of repositories', 'SPDX ids such as MIT; none allows any license'],
  ['blockedLibraries', 'Never found', '/owner/repo, /owner, or a domain'],
  ['exceptedLibraries', 'Always found', '/owner/repo, /owner, or a domain; the filters do not apply to them'],
] as const

export const QualityFilters = ({ form, disabled }: { form: PolicyFormApi; disabled: boolean }) => (
  <Stack gap="md">
    <Switch
      label="Verified libraries only"
      disabled={disabled}
      {...form.getInputProps('libraryFilters.quality.requireVerified', { type: 'checkbox' })}
    />
    <div className={styles.numbers}>
      {numbers.map(([name, label]) => {
        const { value, onChange, ...field } = form.getInputProps(`libraryFilters.quality.${name}`)
        return (
          <NumberInput
            key={name}
            label={label}
            placeholder="No limit"
            min={0}
            allowDecimal={false}
            thousandSeparator=","
            disabled={disabled}
            {...field}
            value={value ?? ''}
            onChange={(typed) => onChange(typed === '' ? null : Number(typed))}
          />
        )
      })}
    </div>
    {lists.map(([name, label, description]) => (
      <EntriesInput
        key={name}
        label={label}
        description={description}
        disabled={disabled}
        {...form.getInputProps(`libraryFilters.quality.${name}`)}
      />
    ))}
  </Stack>
)
