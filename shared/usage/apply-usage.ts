import pLimit from 'p-limit'
import { keyOfVersion } from '../library.ts'
import type { Log } from '../log.ts'
import type { CountedId, Counters, PlacedEvent } from './counters.ts'
import { readEvent } from './read-event.ts'

/** `sequence`: decimal, ascending. `data`: a usage event in JSON. */
export type UsageBatch = { shard: string; records: { sequence: string; data: Uint8Array }[] }

/** Each library takes about a dozen requests, and a client has 50 sockets. */
const atOnce = 8
const maxReported = 20

/**
 * Counts a batch of one shard, each event once, however often and in whatever batches it is delivered. Logs and skips records that are not events,
 * and events that are older than 7 days or more than 5 minutes in the future. Throws if a retry may succeed; the same records must then be delivered again.
 */
export async function applyUsage(
  ports: { counters: Counters; log: Log; now(): Date },
  { shard, records }: UsageBatch,
): Promise<{ counted: number; skipped: number }> {
  const { byId, skipped } = groupEvents(records, ports.now())
  for (const record of skipped.slice(0, maxReported)) ports.log.warn({ shard, ...record }, 'usage record skipped')
  if (skipped.length > maxReported) ports.log.warn({ shard, records: skipped.length }, 'usage records skipped')
  const limit = pLimit(atOnce)
  const adding = Array.from(byId, ([id, events]) => limit(() => ports.counters.add(id, shard, events)))
  const failed = (await Promise.allSettled(adding)).find((added) => added.status === 'rejected')
  if (failed) throw failed.reason
  return { counted: records.length - skipped.length, skipped: skipped.length }
}

/** Groups events by library and, if one was pinned, by version. */
function groupEvents(records: UsageBatch['records'], now: Date) {
  const byId = new Map<CountedId, PlacedEvent[]>()
  const skipped: { sequence: string; sizeBytes: number; reason: string }[] = []
  const place = (id: CountedId, placed: PlacedEvent) => {
    const events = byId.get(id)
    if (events) events.push(placed)
    else byId.set(id, [placed])
  }
  for (const { sequence, data } of records) {
    const event = readEvent(data, now)
    if ('skipped' in event) {
      skipped.push({ sequence, sizeBytes: data.length, reason: event.skipped })
      continue
    }
    place(event.library, { sequence, event })
    if (event.version !== undefined) place(keyOfVersion(event.library, event.version), { sequence, event })
  }
  return { byId, skipped }
}
