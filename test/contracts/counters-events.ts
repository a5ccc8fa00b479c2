import { createHash, randomUUID } from 'node:crypto'
import type { Log } from '../../shared/log.ts'
import type { PlacedEvent } from '../../shared/usage/counters.ts'
import type { UsageEvent } from '../../shared/usage/usage-event.ts'

/** One request on 21 November 2026 on the surface txt, unless `facts` differ. */
export const usageEvent = (facts: Partial<UsageEvent> = {}): UsageEvent => ({
  id: randomUUID(),
  at: '2026-11-21T12:00:00.000Z',
  library: '/honojs/website',
  surface: 'txt',
  topics: [],
  ...facts,
})

/** A request of a user over MCP. */
export const mcpEvent = (user: string | number, client = 'cursor', facts: Partial<UsageEvent> = {}): UsageEvent =>
  usageEvent({ surface: 'mcp', client, user: hashOf(user), ...facts })

export const hashOf = (user: string | number): string =>
  createHash('sha256').update(String(user)).digest().subarray(0, 16).toString('base64url')

const kinesisStart = 49590338271490256608559692538361571095921575989136588000n

/** Events with ascending sequence numbers in the format of Kinesis; the first has number `from`. */
export const placed = (events: UsageEvent[], from = 0): PlacedEvent[] =>
  events.map((event, n) => ({ sequence: String(kinesisStart + BigInt(from + n) * 3n), event }))

export const times = <T>(count: number, make: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n))

/** A log for counters that must not write to it. */
const refuse = (fields: Record<string, unknown>, message: string): never => {
  throw new Error(`${message}: ${JSON.stringify(fields)}`)
}
export const failingLog: Log = { info: refuse, warn: refuse, error: refuse }
