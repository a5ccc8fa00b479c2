import { Text } from '@mantine/core'
import { fieldErrors } from './field-errors.ts'
import { MessageText } from './message-text.tsx'

/** The error of a form that concerns no field which the form shows. */
export function FormError({ error, fields }: { error: Error | null; fields: readonly string[] }) {
  const named = Object.keys(fieldErrors(error))
  if (!error || (named.length > 0 && named.every((name) => fields.includes(name)))) return null
  return (
    <Text size="sm" c="var(--bad)" role="alert">
      <MessageText>{error.message}</MessageText>
    </Text>
  )
}
