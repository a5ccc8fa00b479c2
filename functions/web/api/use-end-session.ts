import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'

/** Forgets what the pages have read and shows the page of the sign-in, which says why. */
export function useEndSession() {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  return async (ended: 'sign-out' | 'all-sessions' | 'deletion'): Promise<void> => {
    await navigate({ to: '/sign-in', search: { ended } })
    queryClient.clear()
  }
}
