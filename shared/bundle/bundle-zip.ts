import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { type BundleHead, bundleFormatVersion } from './bundle-element.ts'
import { type Manifest, manifestFile, signManifest } from './manifest.ts'
import { type BundleSource, writeBundle } from './write-bundle.ts'

/** An element and the name of its file in the zip. */
export type ZippedElement = { file: string; source: BundleSource }

export type ListedElement = Manifest['libraries'][number]

export type BundleZipOptions = {
  created: Date
  /** Without it the manifest is not signed. */
  signingPem: string | undefined
  /** Called with the number of uncompressed bytes of each chunk. May throw to end the zip. */
  onBytes?(bytes: number): void
  /** Called after the last chunk of each element. */
  onDone?(listed: ListedElement): void
  /** The error for an element whose rows cannot be read. */
  unreadable(head: BundleHead, cause: unknown): Error
  /** Called with the first error. */
  onError(error: Error): void
}

/** A zip as a stream. `close` releases the elements that were not read. */
export type OpenedZip = { stream: NodeJS.ReadableStream; close(): void }

/** Zips elements, one file each in the format of an import body. The manifest comes last, because it has their hashes. Memory holds a batch of rows. */
export async function bundleZip(elements: readonly ZippedElement[], options: BundleZipOptions): Promise<OpenedZip> {
  const { default: JSZip } = await import('jszip')
  const { created: date, signingPem, onError } = options
  const listed: ListedElement[] = []
  const onDone = (library: ListedElement) => {
    listed.push(library)
    options.onDone?.(library)
  }
  const entries = new Map<string, Readable>()
  for (const element of elements) entries.set(element.file, lazily(elementEntry(element, { ...options, onDone })))
  entries.set(manifestFile, lazily(manifestEntry(listed, date, signingPem)))
  const zip = new JSZip()
  // JSZip loses the error of a paused entry, so each entry reports its own.
  for (const [name, entry] of entries) zip.file(name, entry.once('error', onError), { date, createFolders: false })
  const stream = zip.generateNodeStream({ streamFiles: true, compression: 'DEFLATE' }).once('error', onError)
  return {
    stream,
    close() {
      for (const entry of entries.values()) entry.destroy()
    },
  }
}

/** The manifest of the libraries that are listed when it is read. */
export async function* manifestEntry(
  listed: ListedElement[],
  created: Date,
  signingPem: string | undefined,
): AsyncGenerator<Buffer> {
  const manifest: Manifest = { formatVersion: bundleFormatVersion, created: created.toISOString(), libraries: listed }
  yield Buffer.from(JSON.stringify(signingPem === undefined ? manifest : await signManifest(manifest, signingPem)))
}

/** A file name for an element: plain characters in one folder, with a number in front, so that two names never collide on any file system. */
export const elementFile = (libraryId: string, number: number): string =>
  `${number}-${libraryId
    .slice(1)
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/\.{2,}/g, '.')
    .slice(0, 80)}.json`

async function* elementEntry(
  { file, source }: ZippedElement,
  { onBytes, onDone, unreadable }: Pick<BundleZipOptions, 'onBytes' | 'unreadable'> & { onDone(listed: ListedElement): void },
): AsyncGenerator<Buffer> {
  const { project } = source.head
  const hash = createHash('sha256')
  const chunks = writeBundle([source])
  for (;;) {
    const next = await chunks.next().catch((error: unknown) => Promise.reject(unreadable(source.head, error)))
    if (next.done) {
      const [{ codeSnippets = 0, infoSnippets = 0 } = {}] = next.value
      return onDone({ project, file, codeSnippets, infoSnippets, sha256: hash.digest('hex') })
    }
    hash.update(next.value)
    onBytes?.(next.value.length)
    yield next.value
    // Deflating chunk after chunk would block the event loop.
    await setImmediate()
  }
}

const lazily = (chunks: AsyncIterable<Buffer>): Readable => Readable.from(chunks, { objectMode: false })
