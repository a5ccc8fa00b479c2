import { queryOptions } from '@tanstack/react-query'
import { answerOf } from '../../../shared/web/api/answer-of.ts'
import { sessionLost } from '../../../shared/web/api/session-lost.ts'
import { api } from './api.ts'

export const sessionKey = ['session'] as const

const readSession = () => answerOf(api.auth.session['get-session'].$get())
type Session = Awaited<ReturnType<typeof readSession>>

export const sessionQuery = queryOptions({
  queryKey: sessionKey,
  queryFn: async ({ client }) => {
    const session = await readSession()
    const before = client.getQueryData<Session>(sessionKey)
    if (session || !before) return session
    // The page stays as it is below the dialog, which asks for the password of the same user.
    sessionLost.set(true)
    return before
  },
  staleTime: 60_000,
})
