import { queryOptions } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { answerOf, api } from './client.ts'

export const sessionKey = ['session'] as const

export const sessionQuery = queryOptions({
  queryKey: sessionKey,
  queryFn: () => answerOf(api.auth.session['get-session'].$get()),
  staleTime: 60_000,
})

/** Whether the session of this page has ended while the page was open. */
export const sessionLost = {
  current: false,
  listeners: new Set<() => void>(),
  set(isLost: boolean) {
    sessionLost.current = isLost
    for (const listener of sessionLost.listeners) listener()
  },
}

export const useSessionLost = (): boolean =>
  useSyncExternalStore(
    (listener) => {
      sessionLost.listeners.add(listener)
      return () => sessionLost.listeners.delete(listener)
    },
    () => sessionLost.current,
  )
