import { useSuspenseQuery } from '@tanstack/react-query'
import { type Session, sessionQuery } from './session-query.ts'

/** The session of a page below `signed-in`. */
export function useSession(): Session {
  const { data } = useSuspenseQuery(sessionQuery)
  if (data === null) throw new Error('Nobody is signed in.')
  return data
}
