import { readFileSync } from 'node:fs'

/** The words of software documentation in English, by their stems, with word vectors. */
export type Vocabulary = {
  /** Numbers in a vector. */
  dimensions: number
  /** The number of a word, undefined for an unknown one. */
  find(stem: string): number | undefined
  /** The share of the documentation's chunks that contain a word; 0 for an unknown one. */
  share(stem: string): number
  /** Adds the vector of a word, times its rarity and `weight`. */
  add(word: number, weight: number, sum: Float32Array): void
  size: number
}

type Model = { words: string[]; dimensions: number }

/** The rarity of a word is the negative logarithm of its share, to which this is added. */
const leastShare = 0.001

let loaded: Vocabulary | undefined

/** The first call loads it. */
export function vocabulary(): Vocabulary {
  loaded ??= readVocabulary()
  return loaded
}

function readVocabulary(): Vocabulary {
  const { words, dimensions } = JSON.parse(readFileSync(new URL('./data/model.json', import.meta.url), 'utf8')) as Model
  const vectors = new Int8Array(readFileSync(new URL('./data/vectors.i8', import.meta.url)))
  // Two equal numbers per word: the rarity of the word, divided by the length of its vector.
  const pairs = new Float32Array(new Uint8Array(readFileSync(new URL('./data/weights.f32', import.meta.url))).buffer)
  const scales = Float32Array.from(words, (_, word) => pairs[2 * word] as number)
  const numbers = new Map(words.map((each, i) => [each, i]))
  return {
    dimensions,
    size: words.length,
    find: (stem) => numbers.get(stem),
    share(stem) {
      const word = numbers.get(stem)
      if (word === undefined) return 0
      const vector = vectors.subarray(word * dimensions, (word + 1) * dimensions)
      return Math.exp(-(scales[word] as number) * lengthOf(vector)) - leastShare
    },
    add(word, weight, sum) {
      const scale = weight * (scales[word] as number)
      const start = word * dimensions
      for (let i = 0; i < dimensions; i++) sum[i] = (sum[i] as number) + scale * (vectors[start + i] as number)
    },
  }
}

export function lengthOf(vector: Int8Array | Float32Array): number {
  let sum = 0
  for (let i = 0; i < vector.length; i++) sum += (vector[i] as number) * (vector[i] as number)
  return Math.sqrt(sum)
}
