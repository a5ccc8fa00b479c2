import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { Entry, ZipFile } from 'yauzl'
import { AppError } from '../errors.ts'
import { excerpt } from '../text/excerpt.ts'
import { bundleLimits } from './bundle-element.ts'
import { type CheckedManifest, manifestFile, verifyManifest } from './manifest.ts'

/** A zip with a checked directory. Only its manifest is unpacked. */
export type BundleZip = {
  /** The checked manifest; undefined for bundles of other products. */
  checked: CheckedManifest | undefined
  /** Names of its JSON files in order, without the manifest. */
  files: string[]
  /** Streams a file. Fails if its size differs from the directory. Throws validation_error for an unknown file. */
  read(file: string): Promise<Readable>
  close(): void
}

type ZipLimits = Pick<typeof bundleLimits, 'unpackedBytes' | 'zipEntries'>

const manifestBytes = 16 * 1024 * 1024
const localHeaderBytes = 30

/** Opens a zip on disk and checks its directory and its manifest. Throws validation_error, payload_too_large. */
export async function openBundleZip(
  path: string,
  publicPems: readonly string[],
  limits: ZipLimits = bundleLimits,
): Promise<BundleZip> {
  const { openPromise } = await import('yauzl')
  const zip = await openPromise(path, { autoClose: false, strictFileNames: true }).catch((cause: unknown) => {
    throw rejected('it is not a zip, or it is truncated', cause)
  })
  try {
    const entries = await checkedEntries(zip, limits)
    const named = new Map(entries.map((entry) => [entry.fileName, entry]))
    const read = async (file: string) => {
      const entry = named.get(file)
      if (!entry) throw rejected(`it holds no file "${excerpt(file, 200)}"`)
      return zip.openReadStreamPromise(entry).catch((cause: unknown) => {
        throw notUnpacked(file, cause)
      })
    }
    const manifest = named.get(manifestFile)
    const files = entries.map(({ fileName }) => fileName).filter((name) => name !== manifestFile && isData(name))
    return { checked: manifest && (await readManifest(manifest, read, publicPems)), files, read, close: () => zip.close() }
  } catch (error) {
    zip.close()
    throw error
  }
}

/** The files of a zip, without folders. */
async function checkedEntries(zip: ZipFile, { zipEntries, unpackedBytes }: ZipLimits): Promise<Entry[]> {
  if (zip.entryCount > zipEntries) throw tooLarge(`${zip.entryCount} entries`, `${zipEntries} are accepted`)
  const entries: Entry[] = []
  let sizeBytes = 0
  try {
    for await (const entry of zip.eachEntry()) {
      sizeBytes += entry.uncompressedSize
      if (sizeBytes > unpackedBytes) throw tooLarge('more bytes when it is unpacked', `${unpackedBytes} are accepted`)
      if (entry.isEncrypted()) throw rejected('it is encrypted')
      if (!entry.fileName.endsWith('/')) entries.push(entry)
    }
  } catch (error) {
    if (error instanceof AppError) throw error
    throw rejected(whatIsWrong(error), error)
  }
  rejectOverlaps(entries)
  if (new Set(entries.map(({ fileName }) => fileName)).size < entries.length) throw rejected('it holds two files of one name')
  return entries
}

/** Overlapping entries unpack to far more than the size of the zip. */
function rejectOverlaps(entries: Entry[]): void {
  let end = 0
  for (const entry of entries.toSorted((a, b) => a.relativeOffsetOfLocalHeader - b.relativeOffsetOfLocalHeader)) {
    if (entry.relativeOffsetOfLocalHeader < end) throw rejected('its entries overlap')
    end = entry.relativeOffsetOfLocalHeader + localHeaderBytes + entry.fileNameLength + entry.compressedSize
  }
}

async function readManifest(
  { uncompressedSize }: Entry,
  read: (file: string) => Promise<Readable>,
  publicPems: readonly string[],
): Promise<CheckedManifest> {
  if (uncompressedSize > manifestBytes)
    throw tooLarge(`a ${manifestFile} of ${uncompressedSize} bytes`, `${manifestBytes} are accepted`)
  const text = await buffer(await read(manifestFile)).catch((cause: unknown) => {
    throw rejected(`its ${manifestFile} is damaged`, cause)
  })
  return verifyManifest(text.toString(), publicPems)
}

const isData = (name: string): boolean => /\.json$/i.test(name) && !/(^|\/)(__MACOSX\/|\.)/.test(name)

function whatIsWrong(error: unknown): string {
  const message = error instanceof Error ? error.message : ''
  if (/absolute path|relative path|fileName/.test(message)) return 'an entry has a path that leads out of the zip'
  return /encrypt/.test(message) ? 'it is encrypted' : 'its directory is damaged'
}

const rejected = (why: string, cause?: unknown) =>
  new AppError('validation_error', `The zip is rejected: ${why}. Nothing of it is imported.`, { cause })

const notUnpacked = (file: string, cause: unknown) => {
  const why = 'it is damaged, or not compressed with deflate'
  return new AppError('validation_error', `The file "${excerpt(file, 200)}" cannot be unpacked: ${why}.`, { cause })
}

const tooLarge = (what: string, limit: string) =>
  new AppError('payload_too_large', `The zip is rejected: it has ${what}; at most ${limit}.`)
