import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

const maxNonceLength = 100

/** What only who holds the secret can answer to a nonce, so that the secret itself is sent to nobody else. */
export const proof = (secret: string, nonce: string): string =>
  createHmac('sha256', secret)
    .update(`carrel admin ${nonce.slice(0, maxNonceLength)}`)
    .digest('hex')

export const newNonce = (): string => randomBytes(32).toString('hex')

export function isProof(secret: string, nonce: string, given: string): boolean {
  const [known, answered] = [proof(secret, nonce), given].map((text) => Buffer.from(text)) as [Buffer, Buffer]
  return known.length === answered.length && timingSafeEqual(known, answered)
}
