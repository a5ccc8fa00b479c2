import type { SnippetRow } from '../rows/snippet-store.ts'

/**
 * The similarity of each row to a question, from 0 (the median cosine of the candidates, or below) to 1 (the best). The meaning of a cosine differs
 * between models, so only the order and distances among the candidates are used. 0 for a row without a vector.
 */
export function similaritiesTo(rows: SnippetRow[], question: Float32Array): number[] {
  const cosines = rows.map(({ vector }) => vector && cosine(vector, question))
  const knownCosines = cosines.filter((each) => each !== undefined)
  const median = medianOf(knownCosines)
  const reach = Math.max(...knownCosines) - median
  return cosines.map((each) => (each !== undefined && reach > 0 ? Math.max(0, (each - median) / reach) : 0))
}

/** Returns undefined if one of them is a zero vector. */
function cosine(a: Float32Array, b: Float32Array): number | undefined {
  let dot = 0
  let squareA = 0
  let squareB = 0
  for (let i = 0; i < a.length; i++) {
    const [x, y] = [a[i] as number, b[i] as number]
    dot += x * y
    squareA += x * x
    squareB += y * y
  }
  const lengths = Math.sqrt(squareA * squareB)
  return lengths > 0 ? dot / lengths : undefined
}

function medianOf(numbers: number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}
