import { readPrivateKeys, readPublicKeys } from '../../shared/keys/key-pair.ts'

/**
 * The public keys in the secret LicenseKey. Undefined if the stage has none. The stacks reject a malformed secret; if there is one
 * nevertheless, no license is valid.
 */
export const licenseKeys = (secret: string): string[] | undefined =>
  secret.trim() === '' ? undefined : (readPublicKeys(secret) ?? [])

/** The private key that signs bundles: the first one in the secret BundleKey. Undefined if the stage has none. */
export function signingKey(secret: string): string | undefined {
  if (secret.trim() === '') return undefined
  const [newest] = readPrivateKeys(secret) ?? []
  if (newest === undefined) throw new Error('BundleKey is not an Ed25519 private key in PEM, so bundles cannot be signed.')
  return newest
}
