import type { Counted, CountedId, Counters } from '../../shared/usage/counters.ts'

export type HostedCounters = Counters & {
  /** The counters of several libraries, in the order of their ids, as `read` returns them. */
  readEach(ids: CountedId[], from: string, to: string): Promise<Counted[]>
  /** Deletes the counters of a removed library or version. */
  forget(id: CountedId): Promise<void>
}
