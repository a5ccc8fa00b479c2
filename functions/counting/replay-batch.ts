import { applyUsage } from '../../shared/usage/apply-usage.ts'
import type { UsageEvent } from '../../shared/usage/usage-event.ts'
import type { UsagePorts } from './usage-handler.ts'

/** Events that are counted together. There is one at a time; `events` is empty where all of it is counted. */
export type ReplayBatch = { number: number; events: UsageEvent[] }

/** What replays know of each other. */
export type Replayed = {
  /** The batch that was put last; number 0, counted, where there was none. */
  last(): Promise<ReplayBatch>
  /** Puts a batch behind the last one, which has to be counted. False where another was put there meanwhile. */
  put(batch: ReplayBatch): Promise<boolean>
  /** Gives those of the events that are of no batch to this one; returns all that are of it. */
  claim(ids: string[], number: number): Promise<Set<string>>
  /** Those of the events that are of some batch. */
  claimed(ids: string[]): Promise<Set<string>>
  /** The batch is counted. */
  settle(number: number): Promise<void>
}

export type ReplayPorts = UsagePorts & { replayed: Replayed }

/** Of one batch, so that its item stays below 400 KB and is written at once. */
export const batchLimits = { events: 1000, chars: 128 * 1024 }

/** All batches of all replays are one shard of the stream, in the order of their numbers. */
const shard = 'replay'

/**
 * Counts those of the events that no batch has counted. The batch is stored before its events are claimed, and the next one is
 * put only when all of it is counted; what belongs to it, and at which sequence numbers, then follows from what is stored. So
 * whoever comes by may finish what another left behind or has in hand, twice or at the same time, and each event is counted
 * once.
 */
export async function countBatch(ports: ReplayPorts, events: UsageEvent[]): Promise<{ counted: number; skipped: number }> {
  for (;;) {
    const last = await ports.replayed.last()
    await finishBatch(ports, last)
    const batch = { number: last.number + 1, events }
    if (await ports.replayed.put(batch)) return finishBatch(ports, batch)
  }
}

/** Counts what is left of a batch, whoever put it. Throws what a retry may cure, as `applyUsage` does. */
export async function finishBatch(ports: ReplayPorts, batch: ReplayBatch): Promise<{ counted: number; skipped: number }> {
  const { number, events } = batch
  if (events.length === 0) return { counted: 0, skipped: 0 }
  const ids = events.map(({ id }) => id)
  const own = await ports.replayed.claim(ids, number)
  const records = events.flatMap((event, place) => {
    const sequence = String(number * batchLimits.events + place)
    return own.has(event.id) ? { sequence, data: Buffer.from(JSON.stringify(event)) } : []
  })
  const result = await applyUsage(ports, { shard, records })
  await ports.replayed.settle(number)
  return result
}
