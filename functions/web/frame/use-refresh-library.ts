import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { answerOf } from '../../../shared/web/api/answer-of.ts'
import type { ChosenLibrary } from '../../../shared/web/palette/palette-entries.ts'
import { showToast } from '../../../shared/web/toast.tsx'
import { api } from '../api/api.ts'
import { libraryPath } from '../api/library-path.ts'
import { jobsQuery, librariesKey } from '../api/library-queries.ts'

/** Queues the refresh of a library of a teamspace and says so, on any page. */
export function useRefreshLibrary(team: string) {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  return async ({ id, title }: ChosenLibrary) => {
    try {
      await answerOf(api.teamspaces[':team'].libraries[':owner'][':repo'].refresh.$post({ param: { team, ...libraryPath(id) } }))
      await showToast({
        message: `${title} is queued.`,
        action: { label: 'Show', run: () => void navigate({ to: '/teamspaces/$team/jobs', params: { team } }) },
      })
      await queryClient.invalidateQueries({ queryKey: librariesKey(team) })
      // From here on, the jobs are followed on any page.
      await queryClient.fetchQuery({ ...jobsQuery(team), staleTime: 0 })
    } catch (error) {
      await showToast({ message: (error as Error).message })
    }
  }
}
