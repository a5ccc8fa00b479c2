import { useSyncExternalStore } from 'react'

/** Tells if the last request of this page did not reach the server. */
export const serverAway = {
  current: false,
  listeners: new Set<() => void>(),
  set(isAway: boolean) {
    if (isAway === serverAway.current) return
    serverAway.current = isAway
    for (const listener of serverAway.listeners) listener()
  },
}

export const useServerAway = (): boolean =>
  useSyncExternalStore(
    (listener) => {
      serverAway.listeners.add(listener)
      return () => serverAway.listeners.delete(listener)
    },
    () => serverAway.current,
  )
