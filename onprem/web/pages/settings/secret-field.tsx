import { Button, Group, Input, PasswordInput, Text } from '@mantine/core'
import { useState } from 'react'
import type { SettingsDraft } from './use-settings-draft.ts'

type SecretName = 'github.token' | 'gitlab.token' | 'llm.apiKey' | 'embedding.apiKey'
type SecretFieldProps = { draft: SettingsDraft; name: SecretName; label: string; description?: string }

/** A secret: what is stored shows only its end, and can be replaced. */
export function SecretField({ draft, name, label, description }: SecretFieldProps) {
  const [replaces, setReplaces] = useState(false)
  const stored = draft.base[name]
  if (stored && !replaces)
    return (
      <Input.Wrapper label={label} description={description} labelElement="div">
        <Group gap="sm" mt={4}>
          <Text size="sm">{stored.last4 ? `Set, ends in ${stored.last4}` : 'Set'}</Text>
          <Button variant="default" size="xs" onClick={() => setReplaces(true)}>
            Replace
          </Button>
        </Group>
      </Input.Wrapper>
    )
  return (
    <PasswordInput
      label={label}
      description={description}
      autoComplete="off"
      value={draft.value(name)}
      error={draft.error(name)}
      onChange={(event) => draft.set(name, event.currentTarget.value)}
      onBlur={() => draft.value(name) === '' && setReplaces(false)}
    />
  )
}
