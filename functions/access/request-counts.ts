/** A window of time in which the requests of a subject are counted. */
export type CountedWindow = { subject: string; window: string; endsAt: Date }

export type RequestCounts = {
  /** Adds to the number of a window, and returns its new value. Throws if the store does not respond within half a second. */
  add(counted: CountedWindow, requests: 1 | -1): Promise<number>
  /** The number of a window. */
  count(counted: Pick<CountedWindow, 'subject' | 'window'>): Promise<number>
}
