import { Readable } from 'node:stream'
import { writeBundle } from '../../shared/bundle/write-bundle.ts'
import { AppError } from '../../shared/errors.ts'
import { type LibraryId, shownId } from '../../shared/library.ts'
import type { Log } from '../../shared/log.ts'
import type { SnippetStore } from '../../shared/search/snippet-store.ts'
import { pluralize } from '../../shared/text/pluralize.ts'
import type { ObjectStore, StoredObject } from '../objects/object-store.ts'
import { cacheExport, findCachedExport } from './cache-export.ts'
import { contentHash, type ExportCatalog, exportElements, readLibrary, sizeOf, sourceOf } from './export-elements.ts'

export type ExportPorts = {
  catalog: ExportCatalog
  snippets: Pick<SnippetStore, 'scan'>
  objects: Pick<ObjectStore, 'get' | 'put'>
  log: Log
  limits: ExportLimits
}

export type ExportLimits = {
  /** Of an answer. */
  bytes: number
  /** How long an export waits for the object store before it goes on without it. */
  storeTimeoutMs: number
}

/** A streamed answer of a Lambda ends at 200 MB. */
export const exportLimits: ExportLimits = { bytes: 200 * 2 ** 20, storeTimeoutMs: 5000 }

/** `sizeBytes` is known of a staged copy. A stream that fails has not sent valid JSON. */
export type Export = { stream: Readable; sizeBytes?: number }

type Opened = { key: string; chunks: AsyncIterable<Buffer>; staged?: StoredObject; toBeStaged: boolean }

/**
 * All snippets of a public library, `owner/repo`, or of one version of it, as the body of an import: from the staged copy where there is
 * one, else written while it is read and staged on the way. Throws invalid_library_id, validation_error, library_not_found,
 * tag_not_found, payload_too_large, search_failed, all of them before the first byte.
 */
export async function exportLibrary(ports: ExportPorts, library: string): Promise<Export> {
  const id = readLibrary(library)
  const { key, chunks, staged, toBeStaged } = await open(ports, id)
  const checked = whileThere(ports.catalog, id, chunks)
  const sent = toBeStaged ? cacheExport({ ...ports, storeTimeoutMs: ports.limits.storeTimeoutMs }, key, checked) : checked
  const stream = Readable.from(told(ports.log, id, sent), { objectMode: false })
  stream.once('close', () => staged?.body.destroy())
  return { stream, sizeBytes: staged?.sizeBytes }
}

async function open(ports: ExportPorts, id: LibraryId): Promise<Opened> {
  const cachePorts = { ...ports, storeTimeoutMs: ports.limits.storeTimeoutMs }
  for (let attempt = 1; ; attempt++) {
    const elements = await exportElements(ports.catalog, id)
    const sizeBytes = sizeOf(elements)
    refuseTooLarge(id, elements.length, sizeBytes, ports.limits.bytes)
    const key = `exports/${contentHash(elements)}.json`
    const staged = await findCachedExport(cachePorts, key, sizeBytes)
    if (typeof staged === 'object') return { key, chunks: staged.body, staged, toBeStaged: false }
    try {
      const chunks = await begun(within(ports.limits.bytes, writeBundle(elements.map((each) => sourceOf(ports.snippets, each)))))
      return { key, chunks, toBeStaged: staged !== 'unknown' }
    } catch (error) {
      // Replaced between the two reads: the catalog knows the new content by now.
      if (attempt === 1 && error instanceof AppError && error.code === 'not_found') continue
      const why = 'The content of this library cannot be read. Ask again in a moment; if that does not help, refresh the library.'
      throw new AppError('search_failed', why, { cause: error })
    }
  }
}

/** The chunks once the first of them is there, so that what fails before it can still be answered as an error. */
async function begun(chunks: AsyncGenerator<Buffer>): Promise<AsyncIterable<Buffer>> {
  const first = await chunks.next()
  return (async function* () {
    try {
      if (!first.done) yield first.value
      yield* chunks
    } finally {
      await chunks.return(undefined)
    }
  })()
}

/** Holds the last byte back until the library is seen once more: what was deleted or made private meanwhile is never handed out whole. */
async function* whileThere(catalog: ExportCatalog, id: LibraryId, chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let held = Buffer.alloc(0)
  for await (const chunk of chunks) {
    const known = Buffer.concat([held, chunk])
    held = known.subarray(-1)
    if (known.length > 1) yield known.subarray(0, -1)
  }
  await exportElements(catalog, id)
  yield held
}

/** Why an export breaks off is for the log: a server may write the message of a stream's error into what it has begun to send. */
async function* told(log: Log, id: LibraryId, chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* chunks
  } catch (error) {
    log.warn({ library: shownId(id), error }, 'an export broke off')
    throw new Error('The export broke off.')
  }
}

/** Breaks off what grows larger than its catalog says. */
async function* within(limitBytes: number, chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let sizeBytes = 0
  for await (const chunk of chunks) {
    sizeBytes += chunk.length
    if (sizeBytes > limitBytes) throw new Error(`The export is larger than ${limitBytes} bytes.`)
    yield chunk
  }
}

function refuseTooLarge(id: LibraryId, versions: number, sizeBytes: number, limitBytes: number): void {
  if (sizeBytes <= limitBytes) return
  const smaller =
    versions > 1
      ? ` These are ${pluralize(versions, 'version')}: name one of them, as /owner/repo@version, or take them as a zip.`
      : ' Take it as a zip: there it is compressed.'
  const message = `The export of ${shownId(id)} has ${sizeBytes} bytes; at most ${limitBytes} bytes are streamed.${smaller}`
  throw new AppError('payload_too_large', message, { fields: { sizeBytes, limitBytes } })
}
