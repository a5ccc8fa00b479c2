import type { Log } from '../../../shared/log.ts'
import type { PlacedEvent } from '../../../shared/usage/counters.ts'
import { readItems } from '../read-items.ts'
import type { Table } from '../table.ts'
import { mergeSketch } from './merge-sketch.ts'
import { skipUnwritable } from './skip-unwritable.ts'

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
