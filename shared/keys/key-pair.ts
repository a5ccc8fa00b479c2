import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'

/** An Ed25519 key pair in PEM. Signs licenses and bundles. */
export type KeyPair = { privatePem: string; publicPem: string }

export function makeKeyPair(): KeyPair {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  return { privatePem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), publicPem: printPublic(publicKey) }
}

/** The public key of a private key. Undefined unless it is an Ed25519 private key in PEM. */
export function publicHalf(privatePem: string): string | undefined {
  try {
    const key = createPrivateKey(privatePem)
    return isEd25519(key) ? printPublic(createPublicKey(key)) : undefined
  } catch {
    return undefined
  }
}

/** A public key in canonical form. Undefined unless it is an Ed25519 public key in PEM. */
export function readPublicKey(pem: string): string | undefined {
  // Node would derive the public key, and the operator would not notice the exposed private key.
  if (pem.includes('PRIVATE KEY')) return undefined
  try {
    const key = createPublicKey(pem)
    return isEd25519(key) ? printPublic(key) : undefined
  } catch {
    return undefined
  }
}

const isEd25519 = (key: KeyObject): boolean => key.asymmetricKeyType === 'ed25519'
const printPublic = (key: KeyObject): string => key.export({ type: 'spki', format: 'pem' }).toString()
