import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { libraryPath } from '../../api/library-path.ts'
import { librariesKey } from '../../api/library-queries.ts'
import { useTeam } from '../../api/use-team.ts'

/** Opens the page of a library that was added. */
export function useShowAdded(): (added: { libraryId: string }) => Promise<void> {
  const { id: team } = useTeam()
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  return async ({ libraryId }) => {
    await queryClient.invalidateQueries({ queryKey: librariesKey(team) })
    await navigate({ to: '/teamspaces/$team/libraries/$owner/$repo', params: { team, ...libraryPath(libraryId) } })
  }
}
