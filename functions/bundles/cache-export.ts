import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import type { Log } from '../../shared/log.ts'
import { withTimeout } from '../../shared/time/with-timeout.ts'
import type { ObjectStore, StoredObject } from '../objects/object-store.ts'

/** `storeTimeoutMs` limits each wait for the store. After that the export continues without it. */
export type ExportCachePorts = { objects: Pick<ObjectStore, 'get' | 'put'>; log: Log; storeTimeoutMs: number }

const bufferedBytes = 4 * 2 ** 20

/**
 * The cached export with this key. Undefined if there is none or its size is wrong; `unknown` if the store cannot be read. The last two
 * are logged.
 */
export async function findCachedExport(
  ports: Omit<ExportCachePorts, 'objects'> & { objects: Pick<ObjectStore, 'get'> },
  key: string,
  sizeBytes: number,
): Promise<StoredObject | 'unknown' | undefined> {
  const requested = ports.objects.get(key)
  try {
    const stored = await withTimeout('The object store', ports.storeTimeoutMs, () => requested)
    // It may fail before it has a reader.
    stored?.body.on('error', () => undefined)
    if (!stored || stored.sizeBytes === sizeBytes) return stored
    discard(stored)
    ports.log.warn({ key, sizeBytes: stored.sizeBytes, expectedBytes: sizeBytes }, 'a damaged cached export is rewritten')
    return undefined
  } catch (error) {
    requested.then(discard, () => undefined)
    ports.log.warn({ key, error }, 'a cached export cannot be read')
    return 'unknown'
  }
}

/**
 * Passes chunks on and writes them to the cache, at the pace of the slower one. If the store fails or stalls, that is logged and the
 * export continues without the cache. If the chunks or their reader fail, nothing is cached. The export ends after the copy is stored.
 */
export async function* cacheExport(ports: ExportCachePorts, key: string, chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const copy = new PassThrough({ highWaterMark: bufferedBytes })
  copy.on('error', () => undefined)
  let failed: unknown
  const stopCaching = (error: unknown) => {
    if (failed !== undefined) return
    failed = error
    copy.destroy(new Error('The export is not cached.'))
    ports.log.warn({ key, error }, 'an export is not cached')
  }
  const put = ports.objects.put(key, copy, 'application/json').catch(stopCaching)
  let whole = false
  try {
    for await (const chunk of chunks) {
      const full = failed === undefined && !copy.write(chunk)
      yield chunk
      if (full && copy.writableNeedDrain)
        await withTimeout('The object store', ports.storeTimeoutMs, () => Promise.race([once(copy, 'drain'), put])).catch(
          stopCaching,
        )
    }
    copy.end()
    whole = true
    await withTimeout('The object store', ports.storeTimeoutMs, () => put).catch(stopCaching)
  } finally {
    if (!whole) {
      failed ??= 'aborted'
      copy.destroy(new Error('The export was aborted.'))
    }
  }
}

const discard = (stored: StoredObject | undefined): void => void stored?.body.destroy()
