import { Button, Group, PasswordInput } from '@mantine/core'
import type { useForm } from '@mantine/form'
import { useState } from 'react'
import { CopyButton } from '../../../../shared/web/copy-button.tsx'

type NewPasswordInputProps = {
  field: ReturnType<ReturnType<typeof useForm>['getInputProps']>
  value: string
  setValue: (password: string) => void
}

/** A password for another user: typed, or generated and copied. */
export function NewPasswordInput({ field, value, setValue }: NewPasswordInputProps) {
  const [isVisible, setIsVisible] = useState(false)
  const generate = () => {
    setValue(generatedPassword())
    setIsVisible(true)
  }
  return (
    <div>
      <PasswordInput
        label="Password"
        description="At least 8 characters. The user can change it under Personal Settings."
        autoComplete="new-password"
        required
        visible={isVisible}
        onVisibilityChange={setIsVisible}
        {...field}
      />
      <Group gap="xs" mt={8}>
        <Button variant="default" size="xs" onClick={generate}>
          Generate
        </Button>
        {value !== '' && (
          <CopyButton value={value} label="the password">
            Copy
          </CopyButton>
        )}
      </Group>
    </div>
  )
}

/** The alphabet lacks letters and digits that look alike. */
const letters = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789'
const length = 20

/** A random password with more than 110 bits. */
function generatedPassword(): string {
  let password = ''
  while (password.length < length) {
    const [byte = 0] = crypto.getRandomValues(new Uint8Array(1))
    // Values above would make some letters more likely.
    if (byte < letters.length * Math.floor(256 / letters.length)) password += letters[byte % letters.length]
  }
  return password
}
