import { createHash, randomUUID } from 'node:crypto'
import type { Log } from '../../shared/log.ts'
import type { PlacedEvent } from '../../shared/usage/counters.ts'
import type { UsageEvent } from '../../shared/usage/usage-event.ts'

/** One request of the 21st of November 2026, by text, where nothing else is said. */
export const usageEvent = (facts: Partial<UsageEvent> = {}): UsageEvent => ({
  id: randomUUID(),
  at: '2026-11-21T12:00:00.000Z',
  library: '/honojs/website',
  surface: 'txt',
  topics: [],
  ...facts,
})

/** A request by MCP of a user. */
export const mcpEvent = (user: string | number, client = 'cursor', facts: Partial<UsageEvent> = {}): UsageEvent =>
  usageEvent({ surface: 'mcp', client, user: hashOf(user), ...facts })

export const hashOf = (user: string | number): string =>
  createHash('sha256').update(String(user)).digest().subarray(0, 16).toString('base64url')

const kinesisStart = 49590338271490256608559692538361571095921575989136588000n

/** Events with ascending sequence numbers as Kinesis gives them, from the nth on. */
export const placed = (events: UsageEvent[], from = 0): PlacedEvent[] =>
  events.map((event, n) => ({ sequence: String(kinesisStart + BigInt(from + n) * 3n), event }))

export const times = <T>(count: number, make: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n))

/** For counters that have nothing to complain of. */
const refuse = (fields: Record<string, unknown>, message: string): never => {
  throw new Error(`${message}: ${JSON.stringify(fields)}`)
}
export const failingLog: Log = { info: refuse, warn: refuse, error: refuse }
