import type { UsageEvent } from './usage-event.ts'

/** An event with its place in the stream: sequence numbers are decimal, ascending within their shard, up to 56 digits. */
export type PlacedEvent = { sequence: string; event: UsageEvent }

/** Counts by day as they are stored; days without requests are absent. */
export type CountedDay = {
  /** `YYYY-MM-DD`, UTC. */
  date: string
  page: number
  txt: number
  mcp: number
  cli: number
  /** Unique MCP users by client, and of all clients together. Empty and 0 where there were none. */
  usersByClient: Record<string, number>
  users: number
}

export type Counted = {
  total: { page: number; txt: number; mcp: number; cli: number }
  /** Of the window, oldest first. */
  days: CountedDay[]
  topics: Record<string, number>
  countries: Record<string, number>
}

/** Names what is counted: the key of a library, or `key@version`. */
export type CountedId = string

export type Counters = {
  /**
   * Adds what the events of one shard say to one library's counters, each event once however often and in whatever pieces it is delivered.
   * The events are in the order of their sequence numbers; of those with one id the first counts. A delivery begins where the last one that
   * succeeded ended, or before. Throws what a retry may cure (throttling, 5xx, time-outs).
   */
  add(id: CountedId, shard: string, events: PlacedEvent[]): Promise<void>
  /** Counters of a library, its days from `from` to `to`, both included (`YYYY-MM-DD`). */
  read(id: CountedId, from: string, to: string): Promise<Counted>
}
