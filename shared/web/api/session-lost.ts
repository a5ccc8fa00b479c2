import { useSyncExternalStore } from 'react'

/** Tells if the session of this page has ended while the page was open. */
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
