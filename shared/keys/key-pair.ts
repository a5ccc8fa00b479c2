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

/**
 * The public keys in a text of PEM blocks, in canonical form, the newest first. Undefined unless there is one, and each block is an
 * Ed25519 public key.
 */
export const readPublicKeys = (text: string): string[] | undefined => readBlocks(text, readPublicKey)

/** The same for private keys. */
export const readPrivateKeys = (text: string): string[] | undefined =>
  readBlocks(text, (pem) => (publicHalf(pem) === undefined ? undefined : pem))

function readBlocks(text: string, read: (pem: string) => string | undefined): string[] | undefined {
  const blocks = text.split(/(?=-----BEGIN )/).filter((block) => block.startsWith('-----BEGIN '))
  const keys = blocks.flatMap((block) => read(block) ?? [])
  return keys.length > 0 && keys.length === blocks.length ? keys : undefined
}

const isEd25519 = (key: KeyObject): boolean => key.asymmetricKeyType === 'ed25519'
const printPublic = (key: KeyObject): string => key.export({ type: 'spki', format: 'pem' }).toString()
