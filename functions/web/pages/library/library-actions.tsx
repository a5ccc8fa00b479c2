import { Button, Group, Text, Tooltip } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { RefreshCw } from 'lucide-react'
import { answerOf } from '../../../../shared/web/api/answer-of.ts'
import { ConfirmButton } from '../../../../shared/web/confirm-button.tsx'
import { countOf } from '../../../../shared/web/format.ts'
import { MessageText } from '../../../../shared/web/message-text.tsx'
import { api } from '../../api/api.ts'
import { deleteLibrary, type LibraryDetails, type LibraryPath, librariesKey, librariesQuery } from '../../api/library-queries.ts'
import { useTeam } from '../../api/use-team.ts'

const library = api.teamspaces[':team'].libraries[':owner'][':repo']

type LibraryActionsProps = { path: LibraryPath; library: LibraryDetails }

/** Refresh for members; delete, or take from the list, for admins. */
export function LibraryActions({ path, library: { id, job, ...shown } }: LibraryActionsProps) {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const { plan, role } = useTeam()
  const refresh = useMutation({
    meta: { done: 'The refresh is queued.' },
    mutationFn: () => answerOf(library.refresh.$post({ param: path })),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: librariesKey(path.team) }),
  })
  const remove = async () => {
    await deleteLibrary(path, { id, owned: shown.owned })
    await navigate({ to: '/teamspaces/$team/libraries', params: { team: path.team } })
  }
  const { data: listed = [] } = useQuery(librariesQuery(path.team))
  const isListed = listed.some((each) => each.id === id)
  const mayDelete = !shown.owned || shown.private || plan !== 'free'
  return (
    <div>
      <Group gap="xs" justify="flex-end">
        <Tooltip label="A job of this library is unfinished." disabled={job === null}>
          <Button
            variant="default"
            leftSection={<RefreshCw size={16} aria-hidden />}
            data-disabled={job !== null || undefined}
            aria-disabled={job !== null}
            loading={refresh.isPending}
            onClick={() => job === null && refresh.mutate()}
          >
            Refresh
          </Button>
        </Tooltip>
        {role !== 'developer' && !shown.owned && isListed && (
          <ConfirmButton
            question={`Remove ${id} from the list?`}
            consequence="The library is public, so others can still search it. It only leaves the list of your teamspace, and you can add it again."
            done={undefined}
            onConfirm={remove}
          >
            Remove from list
          </ConfirmButton>
        )}
        {role !== 'developer' && shown.owned && mayDelete && (
          <ConfirmButton
            question={`Delete ${id}?`}
            consequence={`${countOf(shown.totalSnippets, 'snippet')} ${shown.tags.length > 0 ? `and ${countOf(shown.tags.length, 'version')} ` : ''}are deleted, and agents no longer find this library. You can add the repository again.`}
            done={undefined}
            onConfirm={remove}
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
