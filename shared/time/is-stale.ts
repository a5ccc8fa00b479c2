const dayMs = 24 * 60 * 60 * 1000

/** Days after which a library that was not read is stale, unless a caller names others. */
export const defaultStaleDays = 30

/** True for a library with content that no job has read since so many days, even if nothing would have changed. `now` is in ms. */
export const isStale = (
  { state, lastReadAt }: { state: string; lastReadAt?: string | undefined },
  now: number,
  days = defaultStaleDays,
): boolean => state === 'finalized' && (lastReadAt === undefined || Date.parse(lastReadAt) < now - days * dayMs)
