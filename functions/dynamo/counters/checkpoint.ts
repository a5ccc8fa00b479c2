/** Numbers with 56 decimal digits have 37 digits in base 36. */
const sequenceChars = 37
const maxAgeDays = 8
const dayMs = 86_400_000
const prefix = 's:'

/**
 * The attribute of an item that holds the position in a shard: `s:12` for `shardId-000000000012`, `s:<name>` for other names.
 * Its value is the padded sequence number of the last counted event, a dot, and the day it was written (days since 1970, in base 36).
 */
export function checkpointName(shard: string): string {
  const number = /^shardId-(\d{12})$/.exec(shard)?.[1]
  return prefix + (number === undefined ? shard : String(Number(number)))
}

/** Sequence numbers as short texts that sort like numbers. A checkpoint sorts above its own event and below every later one. */
export const paddedSequence = (sequence: string): string => BigInt(sequence).toString(36).padStart(sequenceChars, '0')

export const checkpointValue = (padded: string, now: Date): string => `${padded}.${epochDay(now).toString(36)}`

/** The padded sequence number of a checkpoint; without one, an empty text, which sorts below all others. */
export const sequenceOf = (checkpoint: unknown): string =>
  typeof checkpoint === 'string' ? checkpoint.slice(0, sequenceChars) : ''

/**
 * The checkpoints of an item that are no longer needed: events are counted only until they are 7 days old (`applyUsage`), and all events
 * before a checkpoint that was written 9 days ago are older. So a late replay of the same file counts nothing twice.
 */
export const staleCheckpoints = (item: Record<string, unknown>, now: Date): [string, string][] =>
  Object.entries(item).filter((entry): entry is [string, string] => {
    const [name, value] = entry
    if (!name.startsWith(prefix) || typeof value !== 'string') return false
    return epochDay(now) - Number.parseInt(value.slice(sequenceChars + 1), 36) > maxAgeDays
  })

const epochDay = (time: Date): number => Math.floor(time.getTime() / dayMs)
