import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { AppError } from '../errors.ts'
import { createIfAbsent } from '../system/create-if-absent.ts'
import { type KeyPair, makeKeyPair, publicHalf, readPublicKey } from './key-pair.ts'

export type PairName = 'license' | 'bundle'

/** The folder of the vendor's public keys, part of the install. */
export const vendorDir = fileURLToPath(new URL('./vendor', import.meta.url))

/** The first words of the placeholder files, which the build of an image replaces with keys. */
const placeholder = 'Development placeholder'

/**
 * The vendor's public keys. A development install has placeholders for all files. If only some are placeholders, no key is valid for those.
 */
export function vendorKeys(dir: string): { development: boolean } & Record<PairName, string | undefined> {
  const license = readVendorKey(join(dir, 'license.pub.pem'))
  const bundle = readVendorKey(join(dir, 'bundle.pub.pem'))
  return { development: license === undefined && bundle === undefined, license, bundle }
}

/** The key pair of a development install, `dev-<name>.pem` in the data directory. Created if it is missing. */
export function developmentPair(dataDir: string, name: PairName): KeyPair {
  const path = join(dataDir, `dev-${name}.pem`)
  const publicPath = join(dataDir, `dev-${name}.pub.pem`)
  try {
    if (readIfExists(path) === undefined) createIfAbsent(path, makeKeyPair().privatePem, 0o600)
    const privatePem = readFileSync(path, 'utf8')
    const publicPem = publicHalf(privatePem)
    if (publicPem === undefined) throw new Error('it is not an Ed25519 private key; remove it to create a new pair')
    if (readIfExists(publicPath) !== publicPem) {
      rmSync(publicPath, { force: true })
      createIfAbsent(publicPath, publicPem, 0o644)
    }
    return { privatePem, publicPem }
  } catch (error) {
    throw new AppError('internal_error', `The development key ${path} cannot be used: ${(error as Error).message}.`, {
      cause: error,
    })
  }
}

function readVendorKey(path: string): string | undefined {
  const text = readIfExists(path) ?? ''
  if (text.startsWith(placeholder)) return undefined
  const pem = readPublicKey(text)
  if (pem === undefined) throw new AppError('internal_error', `${path} is not the vendor's Ed25519 public key in PEM.`)
  return pem
}

function readIfExists(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}
