import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { answerOf } from '../../../shared/web/api/answer-of.ts'
import { api } from './api.ts'

export function useSignOut() {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  return useMutation({
    mutationFn: () => answerOf(api.auth.session['sign-out'].$post()),
    onSuccess: async ({ next }) => {
      queryClient.clear()
      // The issuer ends its session, too, and sends the browser back.
      if (next !== undefined) return location.assign(next)
      await navigate({ to: '/sign-in' })
    },
  })
}
