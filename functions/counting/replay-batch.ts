import { applyUsage } from '../../shared/usage/apply-usage.ts'
import type { UsageEvent } from '../../shared/usage/usage-event.ts'
import type { UsagePorts } from './usage-handler.ts'

/** Events that are counted together. Only one batch is counted at a time; `events` is empty when it is done. */
export type ReplayBatch = { number: number; events: UsageEvent[] }

/** The state that all replays share. */
export type Replayed = {
  /** The last batch; number 0 without events if there was none. */
  last(): Promise<ReplayBatch>
  /** Stores a batch after the last one, which must be counted. False if another batch was stored first. */
  put(batch: ReplayBatch): Promise<boolean>
  /** Assigns the unclaimed events to a batch. Returns all of the events that belong to it. */
  claim(ids: string[], number: number): Promise<Set<string>>
  /** The events that belong to any batch. */
  claimed(ids: string[]): Promise<Set<string>>
  /** Marks a batch as counted. */
  settle(number: number): Promise<void>
}

export type ReplayPorts = UsagePorts & { replayed: Replayed }

/** The limits of a batch keep its item below 400 KB, so that it is one write. */
export const batchLimits = { events: 1000, chars: 128 * 1024 }

/** All batches of all replays count as one shard, in the order of their numbers. */
const shard = 'replay'

/**
 * Counts the events that no batch has counted. The batch is stored before its events are claimed, and the next batch is stored only
 * when this one is counted, so its events and their sequence numbers follow from the stored state. Any replay can therefore finish the
 * batch of another, also twice or at the same time, and each event still counts once.
 */
export async function countBatch(ports: ReplayPorts, events: UsageEvent[]): Promise<{ counted: number; skipped: number }> {
  for (;;) {
    const last = await ports.replayed.last()
    await finishBatch(ports, last)
    const batch = { number: last.number + 1, events }
    if (await ports.replayed.put(batch)) return finishBatch(ports, batch)
  }
}

/** Counts the rest of a batch, which another replay may have stored. Throws errors that a retry may fix, like `applyUsage`. */
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
