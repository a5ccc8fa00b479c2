import { NativeSelect, TextInput } from '@mantine/core'
import type { SettingName } from '../../api/queries.ts'
import { useLinkedField } from './use-linked-field.ts'
import type { SettingsDraft } from './use-settings-draft.ts'

type SettingFieldProps = {
  draft: SettingsDraft
  name: SettingName
  label: string
  description?: string | undefined
  placeholder?: string
  /** Choices; '' is the one without a value. */
  options?: readonly { value: string; label: string }[]
}

/** A setting as a text or a choice, with the error of the API below it. */
export function SettingField({ draft, name, options, ...texts }: SettingFieldProps) {
  useLinkedField(name)
  const field = { ...texts, id: name, value: draft.value(name), error: draft.error(name) }
  if (options)
    return <NativeSelect {...field} data={[...options]} onChange={(event) => draft.set(name, event.currentTarget.value)} />
  return (
    <TextInput
      {...field}
      spellCheck={false}
      autoComplete="off"
      onChange={(event) => draft.set(name, event.currentTarget.value)}
    />
  )
}
