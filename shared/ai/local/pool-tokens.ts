import type { Tensor } from './transformers.ts'

/** A vector for each text, from those of its tokens: their mean without the padding, or the vector of the first token. */
export function poolTokens(tokens: Tensor, mask: Tensor, pooling: 'mean' | 'cls'): Float32Array[] {
  const [texts = 0, length = 0, dimensions = 0] = tokens.dims
  const values = tokens.data as Float32Array
  return Array.from({ length: texts }, (_, text) => {
    const start = text * length
    const vector = new Float32Array(dimensions)
    let used = 0
    for (let at = start; at < start + length && (pooling === 'mean' || used === 0); at++) {
      if (Number(mask.data[at]) === 0) continue
      used += 1
      for (let d = 0; d < dimensions; d++) vector[d] = (vector[d] ?? 0) + (values[at * dimensions + d] ?? 0)
    }
    return used > 1 ? vector.map((sum) => sum / used) : vector
  })
}
