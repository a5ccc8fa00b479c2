import { Button, Group, Text, Tooltip } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { RefreshCw } from 'lucide-react'
import { answerOf } from '../../../../shared/web/api/answer-of.ts'
import { ConfirmButton } from '../../../../shared/web/confirm-button.tsx'
import { MessageText } from '../../../../shared/web/message-text.tsx'
import { api } from '../../api/api.ts'
import { deleteLibrary } from '../../api/delete-library.ts'
import type { LibraryDetails } from '../../api/library-query.ts'
import type { ShownJob } from '../libraries/library-state.tsx'
import { lossOf } from './loss-of.ts'

/** Refresh and delete, each disabled with its reason. */
export function LibraryActions({ library, job }: { library: LibraryDetails; job: ShownJob | undefined }) {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const param = { id: library.id.slice(1) }
  const refresh = useMutation({
    meta: { done: 'The refresh is in the Parse Queue.' },
    mutationFn: () => answerOf(api.projects[':id{.+}'].refresh.$post({ param })),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['jobs'] }),
  })
  const remove = useMutation({
    mutationKey: ['libraries'],
    mutationFn: async () => {
      await deleteLibrary(library.id)
      await navigate({ to: '/libraries' })
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['libraries'] }),
  })
  const noRefresh = library.imported
    ? 'An imported library is refreshed by importing a newer export.'
    : job && job.kind !== 'reindex'
      ? 'A job of this library is unfinished.'
      : undefined
  return (
    <div>
      <Group gap="xs" justify="flex-end">
        <Tooltip label={noRefresh} disabled={noRefresh === undefined}>
          <Button
            variant="default"
            leftSection={<RefreshCw size={16} aria-hidden />}
            data-disabled={noRefresh !== undefined || undefined}
            aria-disabled={noRefresh !== undefined}
            loading={refresh.isPending}
            onClick={() => noRefresh === undefined && refresh.mutate()}
          >
            Refresh
          </Button>
        </Tooltip>
        {library.mayDelete && (
          <ConfirmButton
            question={`Delete ${library.id}?`}
            consequence={lossOf(library)}
            {...(library.imported && { typed: library.id })}
            done={undefined}
            onConfirm={remove.mutateAsync}
          >
            Delete library
          </ConfirmButton>
        )}
      </Group>
      {refresh.error && (
        <Text size="sm" c="var(--bad)" role="alert" mt="xs">
          <MessageText>{refresh.error.message}</MessageText>
        </Text>
      )}
    </div>
  )
}
