import { Button, Group, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { answerOf } from '../../../../shared/web/api/answer-of.ts'
import { FormError } from '../../../../shared/web/form-error.tsx'
import { StateMark } from '../../../../shared/web/library/state-mark.tsx'
import { MessageText } from '../../../../shared/web/message-text.tsx'
import { api } from '../../api/api.ts'
import type { LibraryItem } from '../../api/library-query.ts'
import { ownWords } from '../libraries/own-words.ts'

/** Why a library could not be added, and a button to try again. */
export function FailedLibrary({ library }: { library: LibraryItem }) {
  const queryClient = useQueryClient()
  const again = useMutation({
    meta: { done: 'The repository is in the Parse Queue.' },
    mutationFn: () => answerOf(api.projects[':id{.+}'].refresh.$post({ param: { id: library.id.slice(1) } })),
    onSuccess: () => queryClient.invalidateQueries(),
  })
  return (
    <Stack gap="xs">
      <Group justify="space-between" gap="sm">
        <StateMark kind="bad">Failed</StateMark>
        <Button size="xs" variant="default" loading={again.isPending} onClick={() => again.mutate()}>
          Try again
        </Button>
      </Group>
      <Text size="sm" dir="auto">
        <MessageText>{ownWords(library) ?? 'The job failed.'}</MessageText>
      </Text>
      <FormError error={again.error} fields={[]} />
    </Stack>
  )
}
