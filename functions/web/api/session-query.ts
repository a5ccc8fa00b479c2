import { queryOptions } from '@tanstack/react-query'
import { answerOf } from '../../../shared/web/api/answer-of.ts'
import { ApiError } from '../../../shared/web/api/api-error.ts'
import { sessionLost } from '../../../shared/web/api/session-lost.ts'
import { api } from './api.ts'

export const sessionKey = ['session'] as const

const readSession = () => answerOf(api.session.$get())

/** The user and their teamspaces, with their role in each. */
export type Session = Awaited<ReturnType<typeof readSession>>
/** A teamspace of the user. */
export type Team = Session['teamspaces'][number]

/** The session of this browser; null if nobody is signed in. */
export const sessionQuery = queryOptions({
  queryKey: sessionKey,
  queryFn: async ({ client }): Promise<Session | null> => {
    const before = client.getQueryData<Session | null>(sessionKey)
    try {
      const session = await readSession()
      // Somebody else has signed in: nothing on this page is theirs.
      if (before && before.user.id !== session.user.id) location.reload()
      sessionLost.set(false)
      return session
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 401) throw error
      if (!before) return null
      // The page stays as it is below the dialog.
      sessionLost.set(true)
      return before
    }
  },
  staleTime: 60_000,
})
