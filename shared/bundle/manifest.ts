import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import { z } from 'zod'
import { AppError } from '../errors.ts'
import { bundleFormatVersion, bundleLimits } from './bundle-element.ts'

/** Its name in a zip; its position does not matter. */
export const manifestFile = 'manifest.json'

const ManifestLibrary = z.object({
  project: z.string().min(1).max(500).describe('/owner/repo, with @version for a pinned version'),
  file: z.string().min(1).max(200).describe('Name of its file in the zip'),
  codeSnippets: z.int().min(0),
  infoSnippets: z.int().min(0),
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .describe('SHA-256 of the uncompressed file'),
})

export const Manifest = z.object({
  formatVersion: z.literal(bundleFormatVersion),
  created: z.iso.datetime(),
  libraries: z.array(ManifestLibrary).max(bundleLimits.zipEntries),
  signature: z.string().max(1000).optional(),
})
export type Manifest = z.infer<typeof Manifest>

const algorithm = 'EdDSA'
/** Keeps other content that is signed with the same key from being accepted as a manifest. */
const tokenType = 'carrel-manifest'

/**
 * Adds the signature: a compact JWS with detached content (RFC 7515, appendix F), Ed25519, `typ` carrel-manifest, `kid` the RFC 7638 thumbprint
 * (SHA-256) of the public key. The signed content is the UTF-8 JSON.stringify output of the manifest without `signature`: no white space, members
 * in their order, unknown members included.
 */
export async function signManifest(manifest: Omit<Manifest, 'signature'>, privatePem: string): Promise<Manifest> {
  const { FlattenedSign } = await import('jose')
  const key = createPrivateKey(privatePem)
  const signed = await new FlattenedSign(Buffer.from(JSON.stringify(manifest)))
    .setProtectedHeader({ alg: algorithm, typ: tokenType, kid: await keyId(createPublicKey(key)) })
    .sign(key)
  return { ...manifest, signature: `${signed.protected}..${signed.signature}` }
}

/** `absent`: no signature. `unknown`: signed by none of the keys. Both are treated as unsigned. */
export type CheckedManifest = { manifest: Manifest; signature: 'valid' | 'absent' | 'unknown' }

/**
 * Parses a manifest and verifies it with the trusted public keys. Throws validation_error if it is not a manifest, or if a signature that names
 * one of the keys is invalid.
 */
export async function verifyManifest(text: string, publicPems: readonly string[]): Promise<CheckedManifest> {
  const raw = parse(text)
  const read = Manifest.safeParse(raw)
  if (!read.success) throw rejected(whatIsWrong(raw, read.error), read.error)
  const { signature, ...signed } = raw as Record<string, unknown>
  const manifest = read.data
  if (manifest.signature === undefined) return { manifest, signature: 'absent' }
  const [header = '', content, signatureBytes = '', ...more] = manifest.signature.split('.')
  if (content !== '' || more.length > 0) throw rejected('its signature is not a detached JWS')
  const key = await keyOf(header, publicPems)
  if (!key) return { manifest, signature: 'unknown' }
  const payload = Buffer.from(JSON.stringify(signed)).toString('base64url')
  const { flattenedVerify } = await import('jose')
  const { protectedHeader } = await flattenedVerify({ protected: header, payload, signature: signatureBytes }, key, {
    algorithms: [algorithm],
  }).catch((cause: unknown) => Promise.reject(rejected('its signature is invalid: it was changed after it was signed', cause)))
  if (protectedHeader?.typ !== tokenType) throw rejected('its signature was made for something else')
  return { manifest, signature: 'valid' }
}

/** The key that a JWS header names; undefined if it is none of the given keys. */
async function keyOf(header: string, publicPems: readonly string[]): Promise<KeyObject | undefined> {
  const { decodeProtectedHeader } = await import('jose')
  let kid: unknown
  try {
    kid = decodeProtectedHeader({ protected: header }).kid
  } catch (cause) {
    throw rejected('its signature is not a JWS', cause)
  }
  for (const pem of publicPems) {
    const key = createPublicKey(pem)
    if ((await keyId(key)) === kid) return key
  }
  return undefined
}

async function keyId(key: KeyObject): Promise<string> {
  const { calculateJwkThumbprint, exportJWK } = await import('jose')
  return calculateJwkThumbprint(await exportJWK(key), 'sha256')
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw rejected('it is not JSON', cause)
  }
}

function whatIsWrong(raw: unknown, { issues }: z.ZodError): string {
  const formatVersion = (raw as { formatVersion?: unknown } | null)?.formatVersion
  if (typeof formatVersion === 'number' && formatVersion > bundleFormatVersion)
    return `it has format version ${formatVersion}, which is newer than this install; update it`
  return `${issues[0]?.path.join('.') || 'it'} is invalid`
}

const rejected = (why: string, cause?: unknown) =>
  new AppError('validation_error', `${manifestFile} of the bundle is rejected: ${why}.`, { cause })
