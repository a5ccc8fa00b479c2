import { Transform } from 'node:stream'
import type { BundleHead } from '../../shared/bundle/bundle-element.ts'
import { bundleZip } from '../../shared/bundle/bundle-zip.ts'
import type { Manifest } from '../../shared/bundle/manifest.ts'
import { AppError } from '../../shared/errors.ts'
import { parseLibraryId, printLibraryId } from '../../shared/library.ts'
import type { SnippetStore } from '../../shared/search/rows/snippet-store.ts'
import type { ObjectStore } from '../objects/object-store.ts'
import { type ExportCatalog, sourceOf } from './export-elements.ts'
import { planZip, tooLarge, type ZipLimits } from './plan-zip.ts'

/** The file name of a downloaded zip. */
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

/** An element is one version of a library, in its own file. `bytes` is the uncompressed size. */
export type ZipProgress = { elements: number; elementsTotal: number; bytes: number; bytesTotal: number; zippedBytes: number }

export type BuiltZip = { key: string; sizeBytes: number; unpackedBytes: number; libraries: Manifest['libraries'] }

/**
 * Stores a zip of all versions of up to 50 public libraries as `bundles/<id>.zip`. Each version is a file in the format of an import
 * body; the manifest comes last, because it has their hashes. Throws validation_error, payload_too_large, library_too_large,
 * library_not_found, tag_not_found and search_failed; then nothing is stored.
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
  const report = () => onProgress({ ...progress })
  const listed: Manifest['libraries'] = []
  const onBytes = (bytes: number) => {
    progress.bytes += bytes
    if (progress.bytes > limits.unpackedBytes) throw tooLarge('The zip unpacked', progress.bytes, limits.unpackedBytes, 'bytes')
    report()
  }
  const onDone = (library: Manifest['libraries'][number]) => {
    progress.elements = listed.push(library)
    report()
  }
  const zipped = new Transform({
    transform(chunk: Buffer, _, done) {
      progress.zippedBytes += chunk.length
      // Assumes that the rest compresses as well as the part so far.
      const expected = Math.ceil((progress.zippedBytes * Math.max(progress.bytes, bytesTotal)) / Math.max(1, progress.bytes))
      const isOver = progress.zippedBytes > limits.zipBytes
      done(isOver ? tooLarge('The zip', Math.max(expected, progress.zippedBytes), limits.zipBytes, 'bytes') : null, chunk)
    },
  })
  // It may fail before it has a reader.
  zipped.on('error', () => undefined)
  const end = (error: Error) => void zipped.destroy(error)
  const onAbort = () => end(signal?.reason)
  const elements = files.map(({ file, element }) => ({ file, source: sourceOf(snippets, element) }))
  const signingPem = ports.signingPem
  const zip = await bundleZip(elements, { created: ports.now(), signingPem, onBytes, onDone, unreadable, onError: end })
  signal?.addEventListener('abort', onAbort, { once: true })
  try {
    signal?.throwIfAborted()
    zip.stream.pipe(zipped)
    await ports.objects.put(`bundles/${id}.zip`, zipped, 'application/zip')
    return { key: `bundles/${id}.zip`, sizeBytes: progress.zippedBytes, unpackedBytes: progress.bytes, libraries: listed }
  } catch (error) {
    // The error of the zip says more than the error of its upload.
    throw zipped.errored ?? error
  } finally {
    signal?.removeEventListener('abort', onAbort)
    zipped.destroy()
    zip.close()
  }
}

function unreadable({ project }: BundleHead, cause: unknown): AppError {
  const { owner, repo } = parseLibraryId(project)
  const isGone = cause instanceof AppError && cause.code === 'not_found'
  const what = isGone ? 'was replaced while the zip was being built, or is lost' : 'cannot be read'
  const message = `The content of ${project} ${what}. Build the zip again. If that does not help, run "hosted refresh ${printLibraryId({ owner, repo })}".`
  return new AppError('search_failed', message, { retry: isGone ? 'limited' : 'never', cause })
}
