import { readEvent } from '../../shared/usage/read-event.ts'
import type { UsageEvent } from '../../shared/usage/usage-event.ts'

export type LoggedEvent = { event: UsageEvent; uncertain: boolean } | { problem: string }

/** The usage event in a line of a log; the line may also be the event itself. Undefined for a line about something else. */
export function readLoggedEvent(line: string, now: Date): LoggedEvent | undefined {
  if (line.trim() === '') return undefined
  const entry = parse(line)
  if (entry === undefined) return { problem: 'not a JSON object' }
  const logged = 'event' in entry
  if (!logged && !('library' in entry)) return undefined
  const text = toJson(logged ? entry.event : entry)
  if (text === undefined) return { problem: 'nested too deeply' }
  const event = readEvent(Buffer.from(text), now)
  if ('skipped' in event) return { problem: event.skipped }
  return { event, uncertain: logged && entry.uncertain !== false && entry.uncertain !== undefined }
}

function parse(line: string): { event?: unknown; uncertain?: unknown } | undefined {
  if (!line.trimStart().startsWith('{')) return undefined
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

/** The value as JSON. Undefined if it is nested so deeply that the stack overflows. */
function toJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}
