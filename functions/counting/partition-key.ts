import type { UsageEvent } from '../../shared/usage/usage-event.ts'

const maxLibraryChars = 200

/**
 * The library plus one of 16 buckets, so that a busy library is spread over shards. The bucket is the first digit of the event's id,
 * which is random. A key has at most 256 characters.
 */
export const partitionKey = ({ id, library }: Pick<UsageEvent, 'id' | 'library'>): string =>
  `${library.slice(0, maxLibraryChars)}#${id.slice(0, 1)}`
