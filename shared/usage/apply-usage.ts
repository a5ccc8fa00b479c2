import pLimit from 'p-limit'
import type { Log } from '../log.ts'
import type { CountedId, Counters, PlacedEvent } from './counters.ts'
import { readEvent } from './read-event.ts'

/** `sequence`: decimal, ascending. `data`: a usage event in JSON. */
export type UsageBatch = { shard: string; records: { sequence: string; data: Uint8Array }[] }

/** Of a library a dozen requests are under way, on a client's 50 sockets. */
const atOnce = 8
const maxReported = 20

/**
 * Counts a batch of one shard, every event once however often and in whatever pieces the shard hands it out.
 * What is no event, older than 7 days or more than 5 minutes ahead is logged and skipped. Throws what a retry may cure: then the same records
 * have to come again.
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

/** Events by what they count for: their library, and the version where one was pinned. */
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
    if (event.version !== undefined) place(`${event.library}@${event.version}`, { sequence, event })
  }
  return { byId, skipped }
}
