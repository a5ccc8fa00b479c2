import type { SnippetRow } from './snippet-store.ts'

/**
 * How near each row is to a question, from 0 to 1: its cosine, from the median of the candidates up to the best of them. What cosines of a
 * model mean differs from model to model, so only their order and distances among the candidates count.
 */
export function nearness(rows: SnippetRow[], question: Float32Array): number[] {
  const cosines = rows.map(({ vector }) => (vector ? cosine(vector, question) : 0))
  const median = medianOf(cosines)
  const reach = Math.max(...cosines) - median
  return cosines.map((each) => (reach > 0 ? Math.max(0, (each - median) / reach) : 0))
}

/** 0 where one of them points nowhere. */
function cosine(a: Float32Array, b: Float32Array): number {
  let dot = 0
  let squareA = 0
  let squareB = 0
  for (let i = 0; i < a.length; i++) {
    const [x, y] = [a[i] as number, b[i] as number]
    dot += x * y
    squareA += x * x
    squareB += y * y
  }
  return dot / (Math.sqrt(squareA * squareB) || 1)
}

function medianOf(numbers: number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}
