import { createHash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

export const keyPrefixes = { onprem: 'carrel_op_', hosted: 'carrel_sk_' } as const
export type KeyPrefix = (typeof keyPrefixes)[keyof typeof keyPrefixes]

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const shape = /^(carrel_(?:op|sk)_[0-9A-Za-z]{43})([0-9A-Za-z]{6})$/
const shownCharacters = 4

/** A new key: prefix, 256 random bits in base 62, and a checksum that distinguishes a mistyped key from an unknown one. */
export function makeApiKey(prefix: KeyPrefix): string {
  const body = prefix + base62(BigInt(`0x${randomBytes(32).toString('hex')}`), 43)
  return body + checksum(body)
}

/** True if the text has the form and checksum of a key. Does not check that the key exists. */
export function isWellFormedKey(key: string): boolean {
  const [, body, sum] = shape.exec(key) ?? []
  return body !== undefined && checksum(body) === sum
}

/**
 * The stored form of a key. A fast hash without salt is enough for 256 random bits. Lookups use the hash, so that their timing does not reveal
 * the key.
 */
export const hashApiKey = (key: string): string => createHash('sha256').update(key).digest('hex')

/** The start of a key for listings: `carrel_op_AbCd…`. */
export const printPrefix = (key: string): string => `${key.slice(0, keyPrefixes.onprem.length + shownCharacters)}…`

const checksum = (body: string): string => base62(BigInt(crc32(body)), 6)

function base62(value: bigint, length: number): string {
  let text = ''
  for (let rest = value; rest > 0n; rest /= 62n) text = digits[Number(rest % 62n)] + text
  return text.padStart(length, '0')
}
