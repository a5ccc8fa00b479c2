const dayMs = 24 * 60 * 60 * 1000

/** Libraries that were last compared with their source before this time are stale. */
export const staleTime = (now: Date, days: number): Date => new Date(now.getTime() - days * dayMs)

/** True for a library with content that was last compared with its source before `time`, even if nothing has changed since. */
export const isStale = ({ state, lastCheckedAt }: { state: string; lastCheckedAt?: string | undefined }, time: Date): boolean =>
  state === 'finalized' && (lastCheckedAt === undefined || new Date(lastCheckedAt) < time)
