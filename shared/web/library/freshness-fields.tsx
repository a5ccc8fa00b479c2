import { Checkbox, NativeSelect, NumberInput, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import type { SourceAnswer } from '../../indexing/source-change.ts'

const schedules = [
  { value: '', label: 'Default' },
  { value: 'off', label: 'Off' },
  { value: 'daily', label: 'Daily' },
  { value: 'weekly', label: 'Weekly' },
  { value: 'custom', label: 'Other times' },
] as const

export type FreshnessValues = {
  schedule: (typeof schedules)[number]['value']
  cron: string
  timeZone: string
  tags: string
  keep: number | string
  prereleases: boolean
}

export const freshnessValues = ({ schedule, tagRule }: SourceAnswer): FreshnessValues => ({
  schedule: typeof schedule === 'object' ? (schedule === null ? '' : 'custom') : schedule,
  cron: typeof schedule === 'object' ? (schedule?.cron ?? '') : '',
  timeZone: (typeof schedule === 'object' ? schedule?.timeZone : undefined) ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
  tags: tagRule?.tags ?? '',
  keep: tagRule?.keep ?? 1,
  prereleases: tagRule?.prereleases ?? false,
})

export const freshnessChange = ({ schedule, cron, timeZone, tags, keep, prereleases }: FreshnessValues) => ({
  schedule: schedule === '' ? null : schedule === 'custom' ? { cron, timeZone } : schedule,
  tagRule: tags.trim() === '' ? null : { tags: tags.trim(), keep: Number(keep), prereleases },
})

type FieldsProps<Values extends FreshnessValues> = { form: UseFormReturnType<Values> }

/** When a library is compared with its repository, and which tags become versions. */
export function FreshnessFields<Values extends FreshnessValues>({ form }: FieldsProps<Values>) {
  const { schedule, tags } = form.values
  return (
    <>
      <NativeSelect
        label="Refresh"
        description="The repository is asked for changes, and read only if there are some"
        data={[...schedules]}
        {...form.getInputProps('schedule')}
      />
      {schedule === 'custom' && (
        <>
          <TextInput
            label="Times"
            description="Five fields of cron: minute, hour, day of the month, month, weekday"
            placeholder="30 2 * * 1-5"
            spellCheck={false}
            {...form.getInputProps('cron')}
          />
          <TextInput label="Time zone" spellCheck={false} {...form.getInputProps('timeZone')} />
        </>
      )}
      <TextInput
        label="Tags that become versions"
        description="A name in which * is any text, such as v*; none if it is empty"
        placeholder="v*"
        spellCheck={false}
        {...form.getInputProps('tags')}
      />
      {tags.trim() !== '' && (
        <>
          <NumberInput
            label="Newest of each major version"
            description="Older ones that came by this rule are removed"
            min={1}
            max={20}
            allowDecimal={false}
            {...form.getInputProps('keep')}
          />
          <Checkbox label="Pre-releases, too" {...form.getInputProps('prereleases', { type: 'checkbox' })} />
        </>
      )}
    </>
  )
}
