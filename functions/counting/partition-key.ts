import type { UsageEvent } from '../../shared/usage/usage-event.ts'

const maxLibraryChars = 200

/**
 * The library plus one of 16 buckets, so that a much asked library is not bound to one shard. The first digit of an event's id is random, and
 * a key has at most 256 characters.
 */
export const partitionKeyOf = ({ id, library }: Pick<UsageEvent, 'id' | 'library'>): string =>
  `${library.slice(0, maxLibraryChars)}#${id.slice(0, 1)}`
