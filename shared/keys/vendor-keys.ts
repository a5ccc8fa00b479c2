import { existsSync, lstatSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { AppError } from '../errors.ts'
import type { PairName } from './development-pair.ts'
import { readPublicKeys } from './key-pair.ts'

/**
 * The vendor's public keys, in PEM, the newest first: old ones stay valid while the vendor replaces a key. `development`: there are none,
 * so that development pairs may replace them.
 */
export type VendorKeys = { development: boolean } & Record<PairName, readonly string[]>

export type VendorSources = {
  /** The files that VENDOR_LICENSE_KEY_FILE and VENDOR_BUNDLE_KEY_FILE name. */
  keyFiles: Partial<Record<PairName, string>>
  dataDir: string
  /** The folder of the keys that are part of the install. */
  installDir?: string
}

type Env = { VENDOR_LICENSE_KEY_FILE?: string | undefined; VENDOR_BUNDLE_KEY_FILE?: string | undefined }

const vendorDir = fileURLToPath(new URL('./vendor', import.meta.url))

/** The first words of the placeholder files, which the build of an image replaces with keys. */
const placeholder = 'Development placeholder'

export const vendorKeyFiles = (env: Env): VendorSources['keyFiles'] => ({
  license: env.VENDOR_LICENSE_KEY_FILE || undefined,
  bundle: env.VENDOR_BUNDLE_KEY_FILE || undefined,
})

/** The folder in the data directory that holds the public keys of a vendor. */
export const ownVendorDir = (dataDir: string): string => join(dataDir, 'vendor')

/**
 * The vendor's public keys: those that the environment names, else those in `DATA_DIR/vendor`, else those of the install. A development install
 * has placeholders for all files. If only some are placeholders, no key is valid for those. Throws AppError if a key is missing or not a public key.
 */
export function vendorKeys({ keyFiles, dataDir, installDir = vendorDir }: VendorSources): VendorKeys {
  return namedKeys(keyFiles) ?? ownKeys(ownVendorDir(dataDir)) ?? installedKeys(installDir)
}

function namedKeys({ license, bundle }: VendorSources['keyFiles']): VendorKeys | undefined {
  if (license === undefined && bundle === undefined) return undefined
  if (license === undefined || bundle === undefined) {
    const [set, unset] = license === undefined ? ['BUNDLE', 'LICENSE'] : ['LICENSE', 'BUNDLE']
    throw unusable(`VENDOR_${set}_KEY_FILE is set, but VENDOR_${unset}_KEY_FILE is not. Set both, or neither`)
  }
  return {
    development: false,
    license: readKeys(license, 'VENDOR_LICENSE_KEY_FILE'),
    bundle: readKeys(bundle, 'VENDOR_BUNDLE_KEY_FILE'),
  }
}

function ownKeys(folder: string): VendorKeys | undefined {
  // `existsSync` would ignore a link to a folder that is not mounted, which must not let other keys be trusted.
  if (lstatSync(folder, { throwIfNoEntry: false }) === undefined) return undefined
  const exposed = ['license.pem', 'bundle.pem'].map((name) => join(folder, name)).find((path) => existsSync(path))
  if (exposed !== undefined) {
    throw unusable(`${exposed} is a private key. Move it out of DATA_DIR: a server needs only the public keys, *.pub.pem`)
  }
  const where = 'DATA_DIR/vendor must hold license.pub.pem and bundle.pub.pem'
  return {
    development: false,
    license: readKeys(join(folder, 'license.pub.pem'), where),
    bundle: readKeys(join(folder, 'bundle.pub.pem'), where),
  }
}

function installedKeys(folder: string): VendorKeys {
  const [license, bundle] = ['license.pub.pem', 'bundle.pub.pem'].map((name) => readInstalledKeys(join(folder, name)))
  return { development: license === undefined && bundle === undefined, license: license ?? [], bundle: bundle ?? [] }
}

function readInstalledKeys(path: string): string[] | undefined {
  const text = existsSync(path) ? readFileSync(path, 'utf8') : ''
  return text.startsWith(placeholder) ? undefined : readPem(path, text)
}

/** `where` says which setting the file comes from. */
function readKeys(path: string, where: string): string[] {
  let text: string
  try {
    const file = statSync(path)
    // Reading a pipe or a device may never end.
    if (!file.isFile() && !file.isDirectory()) throw unusable(`${path} is not a regular file (${where})`)
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if (error instanceof AppError) throw error
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    throw unusable(`The file ${path} ${readProblems[code] ?? `cannot be read (${code})`} (${where})`, error)
  }
  if (text.includes('PRIVATE KEY')) throw unusable(`${path} is a private key. Use the public one, *.pub.pem (${where})`)
  return readPem(path, text)
}

function readPem(path: string, text: string): string[] {
  const pems = readPublicKeys(text)
  if (pems === undefined) throw unusable(`${path} is not the vendor's Ed25519 public key in PEM`)
  return pems
}

const readProblems: Record<string, string> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'does not exist',
  EISDIR: 'is a directory',
  EACCES: 'cannot be read by this user',
}

const unusable = (why: string, cause?: unknown) => new AppError('cannot_start', `${why}.`, { cause })
