import type { Log } from '../../../shared/log.ts'
import type { ItemKey } from '../items.ts'

const incurable = new Set([
  'ValidationException',
  'ItemCollectionSizeLimitExceededException',
  'SerializationException',
  'DamagedSketch',
])

const maxShown = 200

/** Leaves an item out, with a line in the log, where no retry can cure its update: it must not block the shard. */
export async function skipUnwritable(log: Log, { pk, sk }: ItemKey, attempt: () => Promise<unknown>): Promise<void> {
  try {
    await attempt()
  } catch (error) {
    if (!(error instanceof Error) || !incurable.has(error.name)) throw error
    log.error(
      { pk: pk.slice(0, maxShown), sk, reason: error.name, detail: error.message.slice(0, maxShown) },
      'usage counter left out',
    )
  }
}
