import { LRUCache } from 'lru-cache'
import pLimit from 'p-limit'
import type { Counted } from '../../../shared/usage/counters.ts'
import { readItemsOf } from '../read-items.ts'
import type { Table } from '../table.ts'
import { readCounted } from './read-counted.ts'

const readsAtOnce = 16
const maxKept = 100
/** Reads of DynamoDB may be a moment old: what was read just after an event is not kept for longer. */
const keptMs = 60_000

/**
 * Reads the counters of several libraries. What was read is kept while the item TOTAL of a library is the same: events change it last, and
 * an erasure deletes it. So a library without new requests costs one read of a small item.
 */
export function countedReader(table: Table) {
  const kept = new LRUCache<string, { total: string; counted: Counted }>({ max: maxKept, ttl: keptMs })

  const readOne = async (pk: string, total: string, range: [from: string, to: string]): Promise<Counted> => {
    const name = JSON.stringify([pk, ...range])
    const before = kept.get(name)
    if (before?.total === total) return before.counted
    const counted = await readCounted(table, pk, ...range)
    kept.set(name, { total, counted })
    return counted
  }

  return async (pks: string[], ...range: [from: string, to: string]): Promise<Counted[]> => {
    const keys = [...new Set(pks)].map((pk) => ({ pk, sk: 'TOTAL' }))
    const totals = new Map((await readItemsOf(table, keys, false)).map((item) => [item.pk, JSON.stringify(item)]))
    return pLimit(readsAtOnce).map(pks, (pk) => readOne(pk, totals.get(pk) ?? '', range))
  }
}
