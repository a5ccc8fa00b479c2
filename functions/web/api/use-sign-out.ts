import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { answerOf } from '../../../shared/web/api/answer-of.ts'
import { auth } from './api.ts'

export function useSignOut() {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  return useMutation({
    mutationFn: () => answerOf(auth['sign-out'].$post()),
    onSuccess: async () => {
      queryClient.clear()
      await navigate({ to: '/sign-in', search: { ended: 'sign-out' } })
    },
  })
}
