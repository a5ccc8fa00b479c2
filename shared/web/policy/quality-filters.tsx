import { NumberInput, Stack } from '@mantine/core'
import { EntriesInput } from './entries-input.tsx'
import styles from './policy-form.module.css'
import type { PolicyFormApi } from './use-policy-form.ts'

const numbers = [
  ['minTrustScore', 'Minimum trust score, 0 to 10'],
  ['maxAgeDays', 'Maximum days since the last update'],
  ['repoFilters.minStars', 'Minimum stars of a repository'],
] as const

const lists = [
  ['repoFilters.allowedLicenses', 'Licenses of repositories', 'SPDX ids, such as MIT and Apache-2.0; empty for any'],
  ['blockedLibraries', 'Never found', '/owner/repo, /owner, or a domain'],
  ['exceptedLibraries', 'Always found', '/owner/repo, /owner, or a domain; the filters do not apply to them'],
] as const

/** The filters on facts that are known of libraries. The API accepts further ones. */
export const QualityFilters = ({ form }: { form: PolicyFormApi }) => (
  <Stack gap="md">
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
        {...form.getInputProps(`libraryFilters.quality.${name}`)}
      />
    ))}
  </Stack>
)
