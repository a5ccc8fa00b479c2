import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import { z } from 'zod'
import { AppError } from '../errors.ts'
import { bundleFormatVersion, bundleLimits } from './bundle-element.ts'

/** Its name in a zip; it may stand at any place there. */
export const manifestFile = 'manifest.json'

const ManifestLibrary = z.object({
  project: z.string().min(1).max(500).describe('/owner/repo, with @version for a pinned version'),
  file: z.string().min(1).max(200).describe('Name of its file in the zip'),
  codeSnippets: z.int().min(0),
  infoSnippets: z.int().min(0),
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .describe('Of the uncompressed file'),
})

export const Manifest = z.object({
  formatVersion: z.literal(bundleFormatVersion),
  created: z.iso.datetime(),
  libraries: z.array(ManifestLibrary).max(bundleLimits.zipEntries),
  signature: z.string().max(1000).optional(),
})
export type Manifest = z.infer<typeof Manifest>

const algorithm = 'EdDSA'
/** Names what is signed, so that nothing else signed with the same key passes for a manifest. */
const tokenType = 'carrel-manifest'

/**
 * The manifest with its signature: a compact JWS with detached content (RFC 7515, appendix F), Ed25519, `typ` carrel-manifest, `kid` the
 * RFC 7638 thumbprint (SHA-256) of the public key. Signed is, in UTF-8, what JSON.stringify makes of the manifest without `signature`: no
 * white space, members in the order in which they stand, unknown ones included.
 */
export async function signManifest(manifest: Omit<Manifest, 'signature'>, privatePem: string): Promise<Manifest> {
  const { FlattenedSign } = await import('jose')
  const key = createPrivateKey(privatePem)
  const signed = await new FlattenedSign(Buffer.from(JSON.stringify(manifest)))
    .setProtectedHeader({ alg: algorithm, typ: tokenType, kid: await keyId(createPublicKey(key)) })
    .sign(key)
  return { ...manifest, signature: `${signed.protected}..${signed.signature}` }
}

/** `absent`: there is no signature. `unknown`: none of the keys has signed it. Both count as not signed. */
export type CheckedManifest = { manifest: Manifest; signature: 'valid' | 'absent' | 'unknown' }

/**
 * Reads the text of a manifest and checks it against the public keys that are trusted. Throws validation_error for what is no manifest and
 * for a bad signature that names one of the keys.
 */
export async function verifyManifest(text: string, publicPems: readonly string[]): Promise<CheckedManifest> {
  const raw = parse(text)
  const read = Manifest.safeParse(raw)
  if (!read.success) throw refused(whatIsWrong(raw, read.error), read.error)
  const { signature, ...signed } = raw as Record<string, unknown>
  const manifest = read.data
  if (manifest.signature === undefined) return { manifest, signature: 'absent' }
  const [header = '', content, mark = '', ...more] = manifest.signature.split('.')
  if (content !== '' || more.length > 0) throw refused('its signature is not a detached JWS')
  const key = await keyOf(header, publicPems)
  if (!key) return { manifest, signature: 'unknown' }
  const payload = Buffer.from(JSON.stringify(signed)).toString('base64url')
  const { flattenedVerify } = await import('jose')
  const { protectedHeader } = await flattenedVerify({ protected: header, payload, signature: mark }, key, {
    algorithms: [algorithm],
  }).catch((cause: unknown) => Promise.reject(refused('its signature does not fit: it was changed after it was signed', cause)))
  if (protectedHeader?.typ !== tokenType) throw refused('its signature was made for something else')
  return { manifest, signature: 'valid' }
}

/** The key that a JWS header names. Undefined where it names none of them. */
async function keyOf(header: string, publicPems: readonly string[]): Promise<KeyObject | undefined> {
  const { decodeProtectedHeader } = await import('jose')
  let kid: unknown
  try {
    kid = decodeProtectedHeader({ protected: header }).kid
  } catch (cause) {
    throw refused('its signature is not a JWS', cause)
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
    throw refused('it is not JSON', cause)
  }
}

function whatIsWrong(raw: unknown, { issues }: z.ZodError): string {
  const formatVersion = (raw as { formatVersion?: unknown } | null)?.formatVersion
  if (typeof formatVersion === 'number' && formatVersion > bundleFormatVersion)
    return `it has format version ${formatVersion}, which is newer than this install; update it`
  return `${issues[0]?.path.join('.') || 'it'} is wrong`
}

const refused = (why: string, cause?: unknown) =>
  new AppError('validation_error', `${manifestFile} of the bundle is refused: ${why}.`, { cause })
