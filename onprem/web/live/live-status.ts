import { useSyncExternalStore } from 'react'

/** `live`: changes arrive as events. `polling`: the connection is lost, so the page asks every few seconds. */
export type LiveStatus = 'connecting' | 'live' | 'polling'

const listeners = new Set<() => void>()
let status: LiveStatus = 'connecting'

export const liveStatus = {
  get: (): LiveStatus => status,
  set(changed: LiveStatus) {
    status = changed
    for (const listener of listeners) listener()
  },
}

/** Tells if changes reach the page as events. A page needs no polling of its own in either case. */
export const useLiveStatus = (): LiveStatus =>
  useSyncExternalStore((listener) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }, liveStatus.get)
