import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'

/** An Ed25519 key pair in PEM. Signs licenses and bundles. */
export type KeyPair = { privatePem: string; publicPem: string }

export function makeKeyPair(): KeyPair {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  return { privatePem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), publicPem: printPublic(publicKey) }
}

/** The public half of a private key. Undefined for what is not an Ed25519 private key in PEM. */
export function publicHalf(privatePem: string): string | undefined {
  try {
    const key = createPrivateKey(privatePem)
    return isEd25519(key) ? printPublic(createPublicKey(key)) : undefined
  } catch {
    return undefined
  }
}

/** A public key in its one spelling. Undefined for what is not an Ed25519 public key in PEM. */
export function readPublicKey(pem: string): string | undefined {
  // Node reads a private key as its public half, and the operator would never learn that a secret lies about.
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
