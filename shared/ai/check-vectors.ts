import type { ProviderInfo } from './provider-info.ts'
import { unreadable } from './provider-refusal.ts'

/** Checks that there is one vector per text, all finite and of one length. Throws a transient error otherwise. */
export function checkVectors(
  info: Pick<ProviderInfo, 'name'>,
  vectors: readonly unknown[],
  texts: number,
  dimensions: number | undefined,
): Float32Array[] {
  if (vectors.length !== texts) throw unreadable(info, `${vectors.length} vectors for ${texts} texts`)
  const read = vectors.map((vector) => readVector(info, vector))
  if (read.some((vector) => vector.length === 0)) throw unreadable(info, 'an empty vector')
  const length = dimensions ?? read[0]?.length
  const other = read.find((vector) => vector.length !== length)
  if (other) throw unreadable(info, `a vector of ${other.length} numbers instead of ${length}`)
  return read
}

/** A list of numbers, or their little-endian bytes in base64. */
function readVector(info: Pick<ProviderInfo, 'name'>, value: unknown): Float32Array {
  const vector = value instanceof Float32Array ? value : typeof value === 'string' ? fromBase64(value) : fromList(value)
  if (!vector.every(Number.isFinite)) throw unreadable(info, 'a vector with values that are not numbers')
  return vector
}

const fromList = (list: unknown): Float32Array => Float32Array.from(Array.isArray(list) ? list : [], asNumber)
const asNumber = (value: unknown): number => (typeof value === 'number' ? value : Number.NaN)

function fromBase64(text: string): Float32Array {
  const bytes = new Uint8Array(Buffer.from(text, 'base64'))
  return new Float32Array(bytes.buffer, 0, Math.floor(bytes.length / 4))
}
