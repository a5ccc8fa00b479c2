import type { CountedId, Counters } from '../../shared/usage/counters.ts'

export type HostedCounters = Counters & {
  /** Deletes the counters of a removed library or version. */
  forget(id: CountedId): Promise<void>
}
