import type { Log } from '../../../shared/log.ts'
import type { ItemKey } from '../read-items.ts'

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
