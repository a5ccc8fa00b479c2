import type { Log } from '../../../shared/log.ts'
import type { PlacedEvent } from '../../../shared/usage/counters.ts'
import { type ItemKey, readItems } from '../read-items.ts'
import type { Table } from '../table.ts'
import { mergeSketch } from './merge-sketch.ts'

/** Merges users into the sketches of a day and returns the minimum values of the day's user counters. */
export async function mergeUsers(
  { table, log }: { table: Table; log: Log },
  pk: string,
  day: string,
  events: PlacedEvent[],
): Promise<Map<string, number>> {
  const bySketch = new Map<string, { count: string; hashes: Set<string> }>()
  const collect = (sk: string, count: string, user: string) => {
    const sketch = bySketch.get(sk) ?? { count, hashes: new Set() }
    bySketch.set(sk, sketch)
    sketch.hashes.add(user)
  }
  for (const { event } of events) {
    if (event.surface !== 'mcp' || event.user === undefined) continue
    const client = event.client ?? 'unknown'
    collect(`SKETCH#${day}`, 'users', event.user)
    collect(`SKETCH#${day}#${client}`, `users#${client}`, event.user)
  }
  const keys = Array.from(bySketch.keys(), (sk) => ({ pk, sk }))
  const raise = new Map<string, number>()
  const stored = await readItems(table, keys, true)
  const merges = Array.from(bySketch, ([sk, { count, hashes }]) =>
    skipUnwritable(log, { pk, sk }, async () =>
      raise.set(count, await mergeSketch(table, { pk, sk }, day, hashes, stored.get(sk) ?? {})),
    ),
  )
  const failed = (await Promise.allSettled(merges)).find((merge) => merge.status === 'rejected')
  if (failed) throw failed.reason
  return raise
}

const permanent = new Set([
  'ValidationException',
  'ItemCollectionSizeLimitExceededException',
  'SerializationException',
  'DamagedSketch',
])

const maxShown = 200

/** Skips an update that no retry can fix and logs it, so that it does not block the shard. */
export async function skipUnwritable(log: Log, { pk, sk }: ItemKey, attempt: () => Promise<unknown>): Promise<void> {
  try {
    await attempt()
  } catch (error) {
    if (!(error instanceof Error) || !permanent.has(error.name)) throw error
    log.error(
      { pk: pk.slice(0, maxShown), sk, reason: error.name, detail: error.message.slice(0, maxShown) },
      'a usage counter was skipped',
    )
  }
}
