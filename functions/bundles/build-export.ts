import { addAbortSignal, Readable } from 'node:stream'
import { writeBundle } from '../../shared/bundle/write-bundle.ts'
import { AppError } from '../../shared/errors.ts'
import { readLibraryId } from '../../shared/schemas/read-library-id.ts'
import type { SnippetStore } from '../../shared/search/rows/snippet-store.ts'
import type { ObjectStore } from '../objects/object-store.ts'
import { type ExportCatalog, exportElements, exportFile, sizeOf, sourceOf } from './export-elements.ts'

type BuildPorts = {
  catalog: ExportCatalog
  snippets: Pick<SnippetStore, 'scan'>
  objects: Pick<ObjectStore, 'put'>
}

export type ExportBuild = { id: string; library: string }

/**
 * Stores the export of a library under the key of its content and returns the key. `onBytes` gets the bytes so far, and all. Throws what
 * `exportElements` throws, not_found if the library has other content than the build was started for, and search_failed; then nothing is stored.
 */
export async function buildExport(
  { catalog, snippets, objects }: BuildPorts,
  { id, library }: ExportBuild,
  onBytes: (done: number, total: number) => void,
  signal?: AbortSignal,
): Promise<{ key: string }> {
  const elements = await exportElements(catalog, readLibraryId(library))
  const { key, buildId } = exportFile(elements)
  if (buildId !== id) throw new AppError('not_found', `${library} was replaced before its export was built. Repeat the request.`)
  const chunks = writeBundle(elements.map((element) => sourceOf(snippets, element)))
  const body = Readable.from(whole(chunks, sizeOf(elements), onBytes), { objectMode: false })
  if (signal) addAbortSignal(signal, body)
  try {
    await objects.put(key, body, 'application/json')
    return { key }
  } catch (cause) {
    signal?.throwIfAborted()
    const why = `The content of ${library} cannot be read or stored. Try again in a moment. If that does not help, refresh the library.`
    throw new AppError('search_failed', why, { cause })
  } finally {
    body.destroy()
  }
}

/** Throws if the chunks have another size than the catalog says. */
async function* whole(
  chunks: AsyncIterable<Buffer>,
  total: number,
  onBytes: (done: number, total: number) => void,
): AsyncGenerator<Buffer> {
  let done = 0
  for await (const chunk of chunks) {
    done += chunk.length
    if (done > total) break
    onBytes(done, total)
    yield chunk
  }
  if (done !== total) throw new Error(`The export does not have the ${total} bytes that the catalog says.`)
}
