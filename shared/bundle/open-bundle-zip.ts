import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { type CheckedZip, openZip, rejectedZip, tooLarge, type ZipLimits } from '../zip/open-zip.ts'
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

const manifestBytes = 16 * 1024 * 1024

/** Opens a zip on disk and checks its directory and its manifest. Throws validation_error, payload_too_large. */
export async function openBundleZip(
  path: string,
  publicPems: readonly string[],
  limits: ZipLimits = bundleLimits,
): Promise<BundleZip> {
  const zip = await openZip(path, limits)
  try {
    const manifest = zip.files.find(({ name }) => name === manifestFile)
    const files = zip.files.map(({ name }) => name).filter((name) => name !== manifestFile && isData(name))
    return {
      checked: manifest && (await readManifest(zip, manifest.sizeBytes, publicPems)),
      files,
      read: zip.read,
      close: zip.close,
    }
  } catch (error) {
    zip.close()
    throw error
  }
}

async function readManifest(zip: CheckedZip, sizeBytes: number, publicPems: readonly string[]): Promise<CheckedManifest> {
  if (sizeBytes > manifestBytes) throw tooLarge(`a ${manifestFile} of ${sizeBytes} bytes`, `${manifestBytes} are accepted`)
  const text = await buffer(await zip.read(manifestFile)).catch((cause: unknown) => {
    throw rejectedZip(`its ${manifestFile} is damaged`, cause)
  })
  return verifyManifest(text.toString(), publicPems)
}

const isData = (name: string): boolean => /\.json$/i.test(name) && !/(^|\/)(__MACOSX\/|\.)/.test(name)
