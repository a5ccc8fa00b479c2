import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

const maxNonceLength = 100

/** Proves knowledge of the secret for a nonce, so that a caller sends the secret only to the server that has it. */
export const proof = (secret: string, nonce: string): string =>
  createHmac('sha256', secret)
    .update(`carrel admin ${nonce.slice(0, maxNonceLength)}`)
    .digest('hex')

export const newNonce = (): string => randomBytes(32).toString('hex')

export function isProof(secret: string, nonce: string, sentProof: string): boolean {
  const [expected, received] = [proof(secret, nonce), sentProof].map((text) => Buffer.from(text)) as [Buffer, Buffer]
  return expected.length === received.length && timingSafeEqual(expected, received)
}
