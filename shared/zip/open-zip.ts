import type { Readable } from 'node:stream'
import type { Entry, ZipFile } from 'yauzl'
import { AppError } from '../errors.ts'
import { excerpt } from '../text/excerpt.ts'

export type ZipLimits = { zipEntries: number; unpackedBytes: number }

/** A zip on disk with a checked directory. */
export type CheckedZip = {
  /** The files in order, without folders. */
  files: { name: string; sizeBytes: number }[]
  /** Streams a file. Fails if its size differs from the directory. Throws validation_error for an unknown file. */
  read(name: string): Promise<Readable>
  close(): void
}

const localHeaderBytes = 30

/** Opens a zip and checks its directory. Throws validation_error, payload_too_large. */
export async function openZip(path: string, limits: ZipLimits): Promise<CheckedZip> {
  const { openPromise } = await import('yauzl')
  const zip = await openPromise(path, { autoClose: false, strictFileNames: true }).catch((cause: unknown) => {
    throw rejectedZip('it is not a zip, or it is truncated', cause)
  })
  try {
    const entries = await checkedEntries(zip, limits)
    const named = new Map(entries.map((entry) => [entry.fileName, entry]))
    return {
      files: entries.map(({ fileName, uncompressedSize }) => ({ name: fileName, sizeBytes: uncompressedSize })),
      async read(name) {
        const entry = named.get(name)
        if (!entry) throw rejectedZip(`it holds no file "${excerpt(name, 200)}"`)
        return zip.openReadStreamPromise(entry).catch((cause: unknown) => {
          throw notUnpacked(name, cause)
        })
      },
      close: () => zip.close(),
    }
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
      if (isLink(entry)) throw rejectedZip(`"${excerpt(entry.fileName, 200)}" is a link`)
      if (entry.isEncrypted()) throw rejectedZip('it is encrypted')
      if (!entry.fileName.endsWith('/')) entries.push(entry)
    }
  } catch (error) {
    if (error instanceof AppError) throw error
    throw rejectedZip(whatIsWrong(error), error)
  }
  rejectOverlaps(entries)
  if (new Set(entries.map(({ fileName }) => fileName)).size < entries.length) throw rejectedZip('it holds two files of one name')
  return entries
}

/** The upper half of the attributes is the mode of a file on Unix. */
const isLink = ({ externalFileAttributes }: Entry): boolean => ((externalFileAttributes >>> 16) & 0o170000) === 0o120000

/** Overlapping entries unpack to far more than the size of the zip. */
function rejectOverlaps(entries: Entry[]): void {
  let end = 0
  for (const entry of entries.toSorted((a, b) => a.relativeOffsetOfLocalHeader - b.relativeOffsetOfLocalHeader)) {
    if (entry.relativeOffsetOfLocalHeader < end) throw rejectedZip('its entries overlap')
    end = entry.relativeOffsetOfLocalHeader + localHeaderBytes + entry.fileNameLength + entry.compressedSize
  }
}

function whatIsWrong(error: unknown): string {
  const message = error instanceof Error ? error.message : ''
  if (/absolute path|relative path|fileName/.test(message)) return 'an entry has a path that leads out of the zip'
  return /encrypt/.test(message) ? 'it is encrypted' : 'its directory is damaged'
}

export const rejectedZip = (why: string, cause?: unknown) =>
  new AppError('validation_error', `The zip is rejected: ${why}. Nothing of it is imported.`, { cause })

export const notUnpacked = (file: string, cause: unknown) => {
  const why = 'it is damaged, or not compressed with deflate'
  return new AppError('validation_error', `The file "${excerpt(file, 200)}" cannot be unpacked: ${why}.`, { cause })
}

export const tooLarge = (what: string, limit: string) =>
  new AppError('payload_too_large', `The zip is rejected: it has ${what}; at most ${limit}.`)
