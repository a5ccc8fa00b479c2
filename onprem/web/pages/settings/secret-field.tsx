import { Button, Group, Input, PasswordInput, Text, Textarea } from '@mantine/core'
import { type ChangeEvent, useEffect, useRef, useState } from 'react'
import type { ListedSecretName } from '../../../../shared/settings/listed-secrets.ts'
import type { SecretName } from '../../../../shared/settings/settings.ts'
import { useLinkedField } from './use-linked-field.ts'
import type { SettingsDraft } from './use-settings-draft.ts'

type SecretFieldProps = {
  draft: SettingsDraft
  name: SecretName | ListedSecretName
  label: string
  description?: string
  isLong?: boolean
}

/** A secret, which has several lines if it `isLong`: only the end of the stored value is shown, and it can be replaced or removed. */
export function SecretField({ draft, name, label, description, isLong = false }: SecretFieldProps) {
  const [replaces, setReplaces] = useState(false)
  const field = useRef<HTMLInputElement & HTMLTextAreaElement>(null)
  useLinkedField(name)
  useEffect(() => {
    if (replaces) field.current?.focus()
  }, [replaces])
  const stored = draft.base[name]
  const isRemoved = draft.changes[name] === null
  if (stored && !replaces && (isRemoved || !(name in draft.changes)))
    return (
      <Input.Wrapper label={label} description={description} labelElement="div">
        <Group gap="sm" mt={4}>
          <Text size="sm">{isRemoved ? 'Removed when you save' : stored.last4 ? `Set, ends in ${stored.last4}` : 'Set'}</Text>
          {isRemoved ? (
            <Button variant="default" size="xs" onClick={() => draft.keep(name)}>
              Keep
            </Button>
          ) : (
            <>
              <Button id={name} variant="default" size="xs" onClick={() => setReplaces(true)}>
                Replace
              </Button>
              <Button variant="subtle" size="xs" onClick={() => draft.remove(name)}>
                Remove
              </Button>
            </>
          )}
        </Group>
      </Input.Wrapper>
    )
  const props = {
    ref: field,
    id: name,
    label,
    description,
    autoComplete: 'off',
    value: draft.value(name),
    error: draft.error(name),
    onChange: (event: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => draft.set(name, event.currentTarget.value),
    onBlur: () => setReplaces(false),
  }
  return isLong ? <Textarea {...props} rows={4} spellCheck={false} /> : <PasswordInput {...props} />
}
