import { Alert, Button, Group, Text } from '@mantine/core'
import { CircleAlert } from 'lucide-react'

type ErrorStateProps = { error: Error; what?: string; retry?: () => void }

/** A part of a page that cannot be loaded: the words of the API, and a button to try again. */
export const ErrorState = ({ error, what, retry }: ErrorStateProps) => (
  <Alert color="red" variant="light" icon={<CircleAlert size={18} aria-hidden />} title={what} role="alert">
    <Group justify="space-between" gap="sm">
      <Text size="sm">{error.message}</Text>
      {retry && (
        <Button variant="default" size="xs" onClick={retry}>
          Try again
        </Button>
      )}
    </Group>
  </Alert>
)
