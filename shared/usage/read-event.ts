import { mcpClient } from './mcp-client.ts'
import { UsageEvent } from './usage-event.ts'

const maxBytes = 8_192
const oldestMs = 7 * 86_400_000
const aheadMs = 5 * 60_000
const decoder = new TextDecoder('utf-8', { fatal: true })

/** Reads a stream record as an event, or returns why it is skipped, without any content of the record. */
export function readEvent(data: Uint8Array, now: Date): UsageEvent | { skipped: string } {
  if (data.length > maxBytes) return { skipped: 'too long' }
  const { success, data: event, error } = UsageEvent.safeParse(parseJson(data))
  if (!success) return { skipped: error.issues.map(({ path, code }) => [...path.slice(0, 2), code].join(' ')).join(', ') }
  const ageMs = now.getTime() - Date.parse(event.at)
  if (ageMs > oldestMs) return { skipped: 'older than 7 days' }
  if (ageMs < -aheadMs) return { skipped: 'more than 5 minutes ahead' }
  return event.client === undefined ? event : { ...event, client: mcpClient(event.client) }
}

/** Returns undefined if it is not JSON. */
function parseJson(data: Uint8Array): unknown {
  try {
    return JSON.parse(decoder.decode(data))
  } catch {
    return undefined
  }
}
