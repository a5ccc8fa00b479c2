import { Alert, Button, Group, Text } from '@mantine/core'
import { CircleAlert, Info } from 'lucide-react'
import { ApiError } from './api/api-error.ts'
import { MessageText } from './message-text.tsx'

type ErrorStateProps = { error: Error; what?: string; retry?: () => void }

/** Codes of answers that have no content, which is no failure. */
const emptyCodes = ['no_snippets_found', 'no_libraries_found']

/** A part of a page that cannot be loaded: the words of the API, and a button to try again. An empty result is only a note. */
export function ErrorState({ error, what, retry }: ErrorStateProps) {
  if (error instanceof ApiError && emptyCodes.includes(error.code))
    return (
      <Alert color="gray" variant="light" icon={<Info size={18} aria-hidden />} role="status">
        <MessageText>{error.message}</MessageText>
      </Alert>
    )
  return (
    <Alert color="red" variant="light" icon={<CircleAlert size={18} aria-hidden />} title={what} role="alert">
      <Group justify="space-between" gap="sm">
        <Text size="sm">
          <MessageText>{error.message}</MessageText>
        </Text>
        {retry && (
          <Button variant="default" size="xs" onClick={retry}>
            Try again
          </Button>
        )}
      </Group>
    </Alert>
  )
}
