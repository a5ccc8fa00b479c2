import type { ChunkCorpus } from './chunk-corpus.ts'

/** A sparse square matrix: row `i` has `values` in `columns` from `starts[i]` to `starts[i + 1]`. */
export type SparseMatrix = { size: number; starts: Uint32Array; columns: Uint32Array; values: Float32Array }

const maxDistance = 6
const titleWords = 6
const titleReach = 60
const titleWeight = 0.15
/** Lowers the association with rare words, which is overestimated (Levy, Goldberg and Dagan, 2015). */
const contextPower = 0.75
const minAssociation = 0.3

/**
 * Positive pointwise mutual information of words that occur near each other, at most six words apart, or in the heading and the beginning of a
 * section.
 */
export function associations({ words, sections }: ChunkCorpus): SparseMatrix {
  const size = words.length
  const counts = new Float32Array(size * size)
  const add = (a: number, b: number, weight: number) => {
    if (a === b) return
    counts[a * size + b] = (counts[a * size + b] as number) + weight
    counts[b * size + a] = (counts[b * size + a] as number) + weight
  }
  for (const { title, prose } of sections) {
    for (const text of [title, prose])
      for (let i = 0; i < text.length; i++)
        for (let distance = 1; distance <= maxDistance && i + distance < text.length; distance++)
          add(text[i] as number, text[i + distance] as number, 1 / distance)
    for (const word of title.subarray(0, titleWords))
      for (const other of prose.subarray(0, titleReach)) add(word, other, titleWeight)
  }
  return positiveInformation(counts, size)
}

function positiveInformation(counts: Float32Array, size: number): SparseMatrix {
  const sums = Float64Array.from({ length: size }, (_, i) =>
    counts.subarray(i * size, (i + 1) * size).reduce((sum, each) => sum + each, 0),
  )
  const powers = sums.map((each) => each ** contextPower)
  const allPowers = powers.reduce((sum, each) => sum + each, 0)
  const starts = new Uint32Array(size + 1)
  const columns: number[] = []
  const values: number[] = []
  for (let row = 0; row < size; row++) {
    for (let column = 0; column < size; column++) {
      const count = counts[row * size + column] as number
      if (count === 0) continue
      const value = Math.log(count / (sums[row] as number) / ((powers[column] as number) / allPowers))
      if (value <= minAssociation) continue
      columns.push(column)
      values.push(value)
    }
    starts[row + 1] = columns.length
  }
  return { size, starts, columns: Uint32Array.from(columns), values: Float32Array.from(values) }
}
