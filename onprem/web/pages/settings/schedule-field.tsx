import { NativeSelect, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { SettingName } from '../../api/queries.ts'
import { useLinkedField } from './use-linked-field.ts'
import type { SettingsDraft } from './use-settings-draft.ts'

const choices = [
  { value: '', label: 'Off' },
  { value: '6-hourly', label: 'Every 6 hours' },
  { value: 'daily', label: 'Daily, at 3:00 UTC' },
  { value: 'weekly', label: 'Weekly, on Sunday at 3:00 UTC' },
  { value: 'custom', label: 'Other times' },
]

/** When something happens again and again: one of some usual times, or five fields of cron. */
export function ScheduleField({ draft, name, label }: { draft: SettingsDraft; name: SettingName; label: string }) {
  useLinkedField(name)
  const value = draft.value(name)
  const isUsual = choices.some((choice) => choice.value === value)
  const [isCustom, setIsCustom] = useState(!isUsual)
  const choose = (choice: string) => {
    setIsCustom(choice === 'custom')
    draft.set(name, choice === 'custom' ? '' : choice)
  }
  return (
    <>
      <NativeSelect
        id={name}
        label={label}
        data={choices}
        value={isCustom || !isUsual ? 'custom' : value}
        error={!isCustom && draft.error(name)}
        onChange={(event) => choose(event.currentTarget.value)}
      />
      {(isCustom || !isUsual) && (
        <TextInput
          label="Times"
          description="Five fields of cron, in UTC: minute, hour, day of the month, month, weekday"
          placeholder="30 2 * * 1-5"
          spellCheck={false}
          autoComplete="off"
          value={value}
          error={draft.error(name)}
          onChange={(event) => draft.set(name, event.currentTarget.value)}
        />
      )}
    </>
  )
}
