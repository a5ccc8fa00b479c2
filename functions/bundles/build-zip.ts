import { Readable, Transform } from 'node:stream'
import JSZip from 'jszip'
import { type Manifest, manifestFile } from '../../shared/bundle/manifest.ts'
import type { SnippetStore } from '../../shared/search/snippet-store.ts'
import type { ObjectStore } from '../objects/object-store.ts'
import type { ExportCatalog } from './export-elements.ts'
import { planZip, tooLarge, type ZipLimits } from './plan-zip.ts'
import { elementEntry, manifestEntry } from './zip-entries.ts'

/** Under which a zip is saved, whatever its key is. */
export const zipFileName = 'service-libraries.zip'

export type ZipPorts = {
  catalog: ExportCatalog
  snippets: Pick<SnippetStore, 'scan'>
  objects: Pick<ObjectStore, 'put'>
  /** The vendor's bundle key in PEM; without it the manifest is not signed. */
  signingPem: string | undefined
  now(): Date
  limits: ZipLimits
}

/** Elements are the versions of the libraries, one file each. `bytes` are not compressed yet. */
export type ZipProgress = { elements: number; elementsTotal: number; bytes: number; bytesTotal: number; zippedBytes: number }

export type BuiltZip = { key: string; sizeBytes: number; unpackedBytes: number; libraries: Manifest['libraries'] }

/**
 * Puts a zip of all versions of up to 50 public libraries under `bundles/<id>.zip`: for each a file in the shape of an import's body, and
 * the manifest last, since it holds their hashes. Throws validation_error, payload_too_large, library_too_large, library_not_found,
 * tag_not_found and search_failed; then nothing is put.
 */
export async function buildZip(
  ports: ZipPorts,
  { id, libraries }: { id: string; libraries: string[] },
  onProgress: (progress: ZipProgress) => void,
  signal?: AbortSignal,
): Promise<BuiltZip> {
  const { limits, snippets } = ports
  const files = await planZip(ports.catalog, libraries, limits)
  const bytesTotal = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
  const progress = { elements: 0, elementsTotal: files.length, bytes: 0, bytesTotal, zippedBytes: 0 }
  const say = () => onProgress({ ...progress })
  const listed: Manifest['libraries'] = []
  const onBytes = (bytes: number) => {
    progress.bytes += bytes
    if (progress.bytes > limits.unpackedBytes) throw tooLarge('The zip unpacked', progress.bytes, limits.unpackedBytes, 'bytes')
    say()
  }
  const onDone = (library: Manifest['libraries'][number]) => {
    progress.elements = listed.push(library)
    say()
  }
  const zipped = new Transform({
    transform(chunk: Buffer, _, done) {
      progress.zippedBytes += chunk.length
      // What is left will be compressed like what was read.
      const expected = Math.ceil((progress.zippedBytes * Math.max(progress.bytes, bytesTotal)) / Math.max(1, progress.bytes))
      const isOver = progress.zippedBytes > limits.zipBytes
      done(isOver ? tooLarge('The zip', Math.max(expected, progress.zippedBytes), limits.zipBytes, 'bytes') : null, chunk)
    },
  })
  // It may break off before anybody reads it.
  zipped.on('error', () => undefined)
  const now = ports.now()
  const entries = new Map<string, Readable>()
  for (const planned of files) entries.set(planned.file, lazily(elementEntry(snippets, planned, onBytes, onDone)))
  entries.set(manifestFile, lazily(manifestEntry(listed, now, ports.signingPem)))

  const end = (error: Error) => void zipped.destroy(error)
  const onAbort = () => end(signal?.reason)
  signal?.addEventListener('abort', onAbort, { once: true })
  try {
    signal?.throwIfAborted()
    packed(entries, now, end).pipe(zipped)
    await ports.objects.put(`bundles/${id}.zip`, zipped, 'application/zip')
    return { key: `bundles/${id}.zip`, sizeBytes: progress.zippedBytes, unpackedBytes: progress.bytes, libraries: listed }
  } catch (error) {
    // Why the zip broke off says more than that its upload did.
    throw zipped.errored ?? error
  } finally {
    signal?.removeEventListener('abort', onAbort)
    zipped.destroy()
    for (const entry of entries.values()) entry.destroy()
  }
}

const lazily = (chunks: AsyncIterable<Buffer>): Readable => Readable.from(chunks, { objectMode: false })

/** The entries one after the other, none of them held. JSZip forgets errors of an entry that is paused, so each is told as it comes. */
function packed(entries: Map<string, Readable>, date: Date, onError: (error: Error) => void): NodeJS.ReadableStream {
  const zip = new JSZip()
  for (const [name, entry] of entries) zip.file(name, entry.once('error', onError), { date, createFolders: false })
  return zip.generateNodeStream({ streamFiles: true, compression: 'DEFLATE' }).once('error', onError)
}
