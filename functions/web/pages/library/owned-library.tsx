import { Group, Stack, Text, Title } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { answerOf } from '../../../../shared/web/api/answer-of.ts'
import { ConfirmButton } from '../../../../shared/web/confirm-button.tsx'
import { api } from '../../api/api.ts'
import { type LibraryPath, librariesKey, libraryKey } from '../../api/library-queries.ts'
import { optOutsQuery } from '../../api/opt-outs-query.ts'
import { useTeam } from '../../api/use-team.ts'
import styles from './library-page.module.css'

const route = api.teamspaces[':team'].libraries[':owner'][':repo']

/** A public library of the teamspace, which admins release or remove. */
export function OwnedLibrary({ path, id }: { path: LibraryPath; id: string }) {
  const { role } = useTeam()
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const reload = () => queryClient.invalidateQueries({ queryKey: librariesKey(path.team) })
  const release = async () => {
    await answerOf(route.claim.$delete({ param: path }))
    await reload()
  }
  const optOut = async () => {
    await answerOf(route['opt-out'].$post({ param: path }))
    await queryClient.invalidateQueries({ queryKey: optOutsQuery(path.team).queryKey })
    await navigate({ to: '/teamspaces/$team/settings/opt-outs', params: { team: path.team } })
    queryClient.removeQueries({ queryKey: libraryKey(path) })
    await reload()
  }
  return (
    <Stack gap="lg" className={styles.text}>
      <div role="status">
        <Title order={2}>Your teamspace owns this library</Title>
        <Text size="sm" c="dimmed">
          You see its usage, and set its branch, folders and versions. The key can be removed from the project file.
        </Text>
      </div>
      {role === 'developer' ? (
        <Text size="sm" c="dimmed">
          Only owners and admins of the teamspace can release it or stop its indexing.
        </Text>
      ) : (
        <Group gap="xs">
          <ConfirmButton
            question={`Release ${id}?`}
            consequence="It leaves the list of your teamspace, and you no longer see its usage. Its content and settings stay, and others can claim it."
            done={`${id} released.`}
            onConfirm={release}
          >
            Release ownership
          </ConfirmButton>
          <ConfirmButton
            question={`Stop the indexing of ${id}?`}
            consequence="Its content is deleted, agents no longer find it, and nobody can add it, until you allow it again under Settings, Opt-outs."
            done={`The indexing of ${id} is stopped.`}
            onConfirm={optOut}
          >
            Stop indexing
          </ConfirmButton>
        </Group>
      )}
    </Stack>
  )
}
