import { useMutation } from '@tanstack/react-query'
import { answerOf } from '../../../shared/web/api/answer-of.ts'
import { auth } from './api.ts'
import { deleteNow } from './delete-later.ts'
import { useEndSession } from './use-end-session.ts'

export function useSignOut() {
  const endSession = useEndSession()
  return useMutation({
    mutationFn: async () => {
      await deleteNow()
      return answerOf(auth['sign-out'].$post())
    },
    onSuccess: () => endSession('sign-out'),
  })
}
