import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import type { Log } from '../../shared/log.ts'
import { withTimeout } from '../../shared/time/with-timeout.ts'
import type { ObjectStore, StoredObject } from '../objects/object-store.ts'

/** `patienceMs`: how long an export waits for the store at most, each time, before it goes on without it. */
export type ExportCachePorts = { objects: Pick<ObjectStore, 'get' | 'put'>; log: Log; storeTimeoutMs: number }

const bufferedBytes = 4 * 2 ** 20

/**
 * What is staged under a key. Undefined where nothing is, or something of another size, which is logged; `unknown` where the store does
 * not say, which is logged too.
 */
export async function findCachedExport(
  ports: ExportCachePorts,
  key: string,
  sizeBytes: number,
): Promise<StoredObject | 'unknown' | undefined> {
  const asked = ports.objects.get(key)
  try {
    const found = await withTimeout('The object store', ports.storeTimeoutMs, () => asked)
    // It may break off before anybody reads it.
    found?.body.on('error', () => undefined)
    if (!found || found.sizeBytes === sizeBytes) return found
    discard(found)
    ports.log.warn({ key, sizeBytes: found.sizeBytes, expectedBytes: sizeBytes }, 'a damaged staged export is written again')
    return undefined
  } catch (error) {
    asked.then(discard, () => undefined)
    ports.log.warn({ key, error }, 'no staged export can be read')
    return 'unknown'
  }
}

/**
 * Passes chunks on and stages them on the way, at the pace of the slower one. A store that fails or stalls is logged and left out;
 * where the chunks or their reader break off, nothing is staged. The end is passed on once the copy is safe.
 */
export async function* cacheExport(ports: ExportCachePorts, key: string, chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const copy = new PassThrough({ highWaterMark: bufferedBytes })
  copy.on('error', () => undefined)
  let failed: unknown
  const giveUp = (error: unknown) => {
    if (failed !== undefined) return
    failed = error
    copy.destroy(new Error('The export is not staged.'))
    ports.log.warn({ key, error }, 'an export is not staged')
  }
  const put = ports.objects.put(key, copy, 'application/json').catch(giveUp)
  let whole = false
  try {
    for await (const chunk of chunks) {
      const full = failed === undefined && !copy.write(chunk)
      yield chunk
      if (full && copy.writableNeedDrain)
        await withTimeout('The object store', ports.storeTimeoutMs, () => Promise.race([once(copy, 'drain'), put])).catch(giveUp)
    }
    copy.end()
    whole = true
    await withTimeout('The object store', ports.storeTimeoutMs, () => put).catch(giveUp)
  } finally {
    if (!whole) {
      failed ??= 'broken off'
      copy.destroy(new Error('The export broke off.'))
    }
  }
}

const discard = (found: StoredObject | undefined): void => void found?.body.destroy()
