import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { answerOf } from '../../../shared/web/api/answer-of.ts'
import type { ChosenLibrary } from '../../../shared/web/palette/palette-entries.ts'
import { showToast } from '../../../shared/web/toast.tsx'
import { api } from '../api/api.ts'

/** Queues the refresh of a library and says so, on any page. */
export function useRefreshLibrary() {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  return async ({ id, title }: ChosenLibrary) => {
    try {
      await answerOf(api.projects[':id{.+}'].refresh.$post({ param: { id: id.slice(1) } }))
      await showToast({
        message: `${title} is in the Parse Queue.`,
        action: { label: 'Show', run: () => void navigate({ to: '/queue' }) },
      })
      await queryClient.invalidateQueries({ queryKey: ['jobs'] })
    } catch (error) {
      await showToast({ message: (error as Error).message })
    }
  }
}
