import { Readable } from 'node:stream'
import { bundleLimits } from '../../shared/bundle/bundle-element.ts'
import { writeBundle } from '../../shared/bundle/write-bundle.ts'
import { AppError } from '../../shared/errors.ts'
import { type LibraryId, shownId } from '../../shared/library.ts'
import type { Log } from '../../shared/log.ts'
import { readLibraryId } from '../../shared/schemas/read-library-id.ts'
import type { SnippetStore } from '../../shared/search/rows/snippet-store.ts'
import { pluralize } from '../../shared/text/figures.ts'
import { withTimeout } from '../../shared/time/with-timeout.ts'
import type { ObjectStore, StoredObject } from '../objects/object-store.ts'
import { cacheExport, findCachedExport } from './cache-export.ts'
import { type ExportCatalog, exportElements, exportFile, sizeOf, sourceOf } from './export-elements.ts'

export type ExportPorts = {
  catalog: ExportCatalog
  snippets: Pick<SnippetStore, 'scan'>
  objects: Pick<ObjectStore, 'get' | 'put'>
  log: Log
  limits: ExportLimits
}

export type ExportLimits = {
  /** Maximum size of a response. */
  bytes: number
  /** Maximum size of an export that is stored for a download. */
  storedBytes: number
  /** Time that a request waits for the build of such an export. */
  buildWaitMs: number
  /** Time limit of each wait for the object store. After that the export continues without it. */
  storeTimeoutMs: number
  /** Time limit of each of the two reads before the first byte: of the cached copy, and of the first snippets. */
  firstReadMs: number
}

/** A streamed response of a Lambda has at most 200 MB, and CloudFront waits 60 seconds for its begin. */
export const exportLimits: ExportLimits = {
  bytes: 200 * 2 ** 20,
  storedBytes: bundleLimits.unpackedBytes,
  buildWaitMs: 40_000,
  storeTimeoutMs: 5_000,
  firstReadMs: 30_000,
}

/** `sizeBytes` is known only for a cached copy. A stream that fails has not sent valid JSON. */
export type Export = { stream: Readable; sizeBytes?: number }

type Opened = { key: string; chunks: AsyncIterable<Buffer>; cached?: StoredObject; isCacheable: boolean }

/**
 * All snippets of a public library, `owner/repo`, or of one version of it, as the body of an import. Sends the cached copy if there is
 * one; otherwise the export is written to the cache while it is sent. Throws invalid_library_id, validation_error, library_not_found,
 * tag_not_found, payload_too_large, search_failed, always before the first byte.
 */
export async function exportLibrary(ports: ExportPorts, library: string): Promise<Export> {
  const id = readLibraryId(library)
  const { key, chunks, cached, isCacheable } = await open(ports, id)
  const checked = whilePublic(ports.catalog, id, chunks)
  const sent = isCacheable ? cacheExport({ ...ports, storeTimeoutMs: ports.limits.storeTimeoutMs }, key, checked) : checked
  const stream = Readable.from(logErrors(ports.log, id, sent), { objectMode: false })
  stream.once('close', () => cached?.body.destroy())
  return { stream, sizeBytes: cached?.sizeBytes }
}

async function open(ports: ExportPorts, id: LibraryId): Promise<Opened> {
  const { storeTimeoutMs, firstReadMs } = ports.limits
  const cachePorts = { ...ports, storeTimeoutMs: Math.min(storeTimeoutMs, firstReadMs) }
  for (let attempt = 1; ; attempt++) {
    const elements = await exportElements(ports.catalog, id)
    const sizeBytes = sizeOf(elements)
    rejectTooLarge(id, elements.length, sizeBytes, ports.limits.bytes)
    const { key } = exportFile(elements)
    const cached = await findCachedExport(cachePorts, key, sizeBytes)
    if (typeof cached === 'object') return { key, chunks: cached.body, cached, isCacheable: false }
    try {
      const chunks = await withFirstChunk(
        limitSize(ports.limits.bytes, writeBundle(elements.map((each) => sourceOf(ports.snippets, each)))),
        firstReadMs,
      )
      return { key, chunks, isCacheable: cached !== 'unknown' }
    } catch (error) {
      // The content was replaced between the two reads. The catalog has the new content already.
      if (attempt === 1 && error instanceof AppError && error.code === 'not_found') continue
      const why = 'The content of this library cannot be read. Try again in a moment. If that does not help, refresh the library.'
      throw new AppError('search_failed', why, { cause: error })
    }
  }
}

/** Waits for the first chunk, so that an error before it can still become an error response. */
async function withFirstChunk(chunks: AsyncGenerator<Buffer>, maxMs: number): Promise<AsyncIterable<Buffer>> {
  const first = await withTimeout('The first read of an export', maxMs, () => chunks.next())
  return (async function* () {
    try {
      if (!first.done) yield first.value
      yield* chunks
    } finally {
      await chunks.return(undefined)
    }
  })()
}

/** Withholds the last byte until the library is checked again: a library that was deleted or made private meanwhile is never sent whole. */
async function* whilePublic(catalog: ExportCatalog, id: LibraryId, chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let withheld = Buffer.alloc(0)
  for await (const chunk of chunks) {
    const bytes = Buffer.concat([withheld, chunk])
    withheld = bytes.subarray(-1)
    if (bytes.length > 1) yield bytes.subarray(0, -1)
  }
  await exportElements(catalog, id)
  yield withheld
}

/** Logs the error of an export and replaces it, because a server may write the message of a stream's error into its response. */
async function* logErrors(log: Log, id: LibraryId, chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* chunks
  } catch (error) {
    log.warn({ library: shownId(id), error }, 'an export was aborted')
    throw new Error('The export was aborted.')
  }
}

/** Aborts an export that is larger than its catalog says. */
async function* limitSize(limitBytes: number, chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let sizeBytes = 0
  for await (const chunk of chunks) {
    sizeBytes += chunk.length
    if (sizeBytes > limitBytes) throw new Error(`The export is larger than ${limitBytes} bytes.`)
    yield chunk
  }
}

function rejectTooLarge(id: LibraryId, versions: number, sizeBytes: number, limitBytes: number): void {
  if (sizeBytes <= limitBytes) return
  const smaller =
    versions > 1
      ? ` It has ${pluralize(versions, 'version')}: name one of them, as /owner/repo@version, or request a zip.`
      : ' Request a zip, which is compressed.'
  const message = `The export of ${shownId(id)} has ${sizeBytes} bytes; the limit is ${limitBytes} bytes.${smaller}`
  throw new AppError('payload_too_large', message, { fields: { sizeBytes, limitBytes } })
}
