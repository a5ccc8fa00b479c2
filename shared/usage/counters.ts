import type { AnswerTimes } from './answer-times.ts'
import type { DayCounts, UsageEvent } from './usage-event.ts'

/** An event with its place in the stream: sequence numbers are decimal, ascending within their shard, up to 56 digits. */
export type PlacedEvent = { sequence: string; event: UsageEvent }

/** Counts of one day. Days without requests and questions are not stored. */
export type CountedDay = DayCounts & {
  /** `YYYY-MM-DD`, UTC. */
  date: string
  /** Includes the questions that were not answered. */
  times: AnswerTimes
  /** Unique MCP users by client, and of all clients together. Empty and 0 if there were none. */
  usersByClient: Record<string, number>
  users: number
}

export type Counted = {
  total: { page: number; txt: number; mcp: number; cli: number }
  /** The days of the range, oldest first. */
  days: CountedDay[]
  topics: Record<string, number>
  countries: Record<string, number>
}

/** The counted library: its key, or `key@version`. */
export type CountedId = string

export type Counters = {
  /**
   * Adds the events of one shard to the counters of one library, each event once, however often and in whatever batches it is delivered. The events
   * are in the order of their sequence numbers; of several with the same id, only the first is counted. A delivery starts where the last successful
   * one ended, or earlier. Throws errors that a retry may fix (throttling, 5xx, timeouts).
   */
  add(id: CountedId, shard: string, events: PlacedEvent[]): Promise<void>
  /** Counters of a library, with the days from `from` to `to`, inclusive (`YYYY-MM-DD`). */
  read(id: CountedId, from: string, to: string): Promise<Counted>
}
