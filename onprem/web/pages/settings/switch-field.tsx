import { Switch } from '@mantine/core'
import type { SettingName } from '../../api/queries.ts'
import { useLinkedField } from './use-linked-field.ts'
import type { SettingsDraft } from './use-settings-draft.ts'

type SwitchFieldProps = { draft: SettingsDraft; name: SettingName; label: string; description: string; disabled?: boolean }

/** A setting that is on or off, with the error of the API below it. */
export function SwitchField({ draft, name, ...texts }: SwitchFieldProps) {
  useLinkedField(name)
  const isOn = draft.value(name) === 'true'
  return (
    <Switch
      {...texts}
      id={name}
      checked={isOn}
      error={draft.error(name)}
      onChange={() => draft.set(name, isOn ? 'false' : 'true')}
    />
  )
}
