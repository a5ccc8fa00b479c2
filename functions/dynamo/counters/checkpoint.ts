/** Of numbers with 56 decimal digits, in base 36. */
const sequenceChars = 37
const maxDaysKept = 8
const dayMs = 86_400_000
const prefix = 's:'

/**
 * The attribute that says how far a shard is counted in an item: `s:12` for `shardId-000000000012`, `s:<name>` for others.
 * Its value is the padded sequence number of the last event in it, a dot, and the day it was written (days since 1970, in base 36).
 */
export function checkpointName(shard: string): string {
  const number = /^shardId-(\d{12})$/.exec(shard)?.[1]
  return prefix + (number === undefined ? shard : String(Number(number)))
}

/** Sequence numbers as short texts that sort like the numbers. A checkpoint is below the number of any later event, and above its own. */
export const paddedSequence = (sequence: string): string => BigInt(sequence).toString(36).padStart(sequenceChars, '0')

export const checkpointValue = (padded: string, now: Date): string => `${padded}.${epochDay(now).toString(36)}`

/** The padded sequence number of a checkpoint; below all others where there is none. */
export const sequenceOf = (checkpoint: unknown): string =>
  typeof checkpoint === 'string' ? checkpoint.slice(0, sequenceChars) : ''

/**
 * The checkpoints of an item that nothing needs any more: an event is counted only until it is 7 days old (`applyUsage`), and behind a checkpoint
 * written 9 days ago stand older ones alone. So a replay of the same file counts nothing twice, however late it comes.
 */
export const staleCheckpoints = (item: Record<string, unknown>, now: Date): [string, string][] =>
  Object.entries(item).filter((entry): entry is [string, string] => {
    const [name, value] = entry
    if (!name.startsWith(prefix) || typeof value !== 'string') return false
    return epochDay(now) - Number.parseInt(value.slice(sequenceChars + 1), 36) > maxDaysKept
  })

const epochDay = (time: Date): number => Math.floor(time.getTime() / dayMs)
