import type { Matrix } from 'ml-matrix'

/** One row per word: its direction as signed bytes, and the factor that gives it the length of the word's weight. */
export type WordVectors = { bytes: Int8Array; factors: Float32Array; dimensions: number }

const minWeight = 0.1
/** Added to the share of sections that have a word. */
export const leastShare = 0.001
const maxByte = 127

/** Centres the rows and rounds them to bytes. `chunks`: the number of sections that have a word; `sections`: of all. */
export function wordVectors(rows: Matrix, chunks: number[], sections: number): WordVectors {
  const [words, dimensions] = [rows.rows, rows.columns]
  const vectors = Array.from({ length: words }, (_, i) => toLengthOne(Float64Array.from(rows.getRow(i))))
  const mean = new Float64Array(dimensions)
  const total = chunks.reduce((sum, each) => sum + each, 0)
  vectors.forEach((vector, word) => {
    for (let i = 0; i < dimensions; i++)
      mean[i] = (mean[i] as number) + ((vector[i] as number) * (chunks[word] as number)) / total
  })
  const bytes = new Int8Array(words * dimensions)
  const factors = new Float32Array(words)
  vectors.forEach((vector, word) => {
    const centred = toLengthOne(vector.map((each, i) => each - (mean[i] as number)))
    const max = centred.reduce((most, each) => Math.max(most, Math.abs(each)), 0) || 1
    const weight = Math.max(minWeight, -Math.log(leastShare + (chunks[word] as number) / sections))
    factors[word] = (weight * max) / maxByte
    for (let i = 0; i < dimensions; i++) bytes[word * dimensions + i] = Math.round(((centred[i] as number) / max) * maxByte)
  })
  return { bytes, factors, dimensions }
}

function toLengthOne(vector: Float64Array): Float64Array {
  const length = Math.hypot(...vector) || 1
  return vector.map((each) => each / length)
}
