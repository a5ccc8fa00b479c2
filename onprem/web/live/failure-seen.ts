import { useSyncExternalStore } from 'react'

const key = 'carrel-failure-seen'
let sinceLoad = ''
const listeners = new Set<() => void>()

/** The time of the last failure that this browser has shown on the queue page; empty before the first. The event `storage` informs other tabs. */
export const failureSeen = {
  get: (): string => {
    try {
      return localStorage.getItem(key) ?? ''
    } catch {
      return sinceLoad
    }
  },
  set(lastFailedAt: string) {
    if (lastFailedAt <= failureSeen.get()) return
    sinceLoad = lastFailedAt
    try {
      localStorage.setItem(key, lastFailedAt)
    } catch {
      // A browser that blocks storage forgets it when the page is closed.
    }
    for (const listener of listeners) listener()
  },
}

export const useFailureSeen = (): string =>
  useSyncExternalStore((listener) => {
    listeners.add(listener)
    addEventListener('storage', listener)
    return () => {
      listeners.delete(listener)
      removeEventListener('storage', listener)
    }
  }, failureSeen.get)
