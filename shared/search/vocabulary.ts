import { readFileSync } from 'node:fs'

/** The words of software documentation in English, with their vectors. */
export type Vocabulary = {
  /** The share of the documentation's units that contain a word, given by its stem; 0 for an unknown one. */
  share(stem: string): number
}

type Model = { words: string[]; dimensions: number }

const file = (url: URL) => readFileSync(url)
let loaded: Vocabulary | undefined

/** Loaded with the first call. */
export function vocabulary(): Vocabulary {
  loaded ??= read()
  return loaded
}

function read(): Vocabulary {
  const { words, dimensions } = JSON.parse(file(new URL('./data/model.json', import.meta.url)).toString()) as Model
  const vectors = new Int8Array(file(new URL('./data/vectors.i8', import.meta.url)))
  const scales = new Float32Array(new Uint8Array(file(new URL('./data/weights.f32', import.meta.url))).buffer)
  const places = new Map(words.map((each, i) => [each, i]))
  const weights = Float32Array.from(
    words,
    (_, i) => (scales[2 * i] ?? 0) * length(vectors.subarray(i * dimensions, (i + 1) * dimensions)),
  )
  return {
    share(stem) {
      const at = places.get(stem)
      return at === undefined ? 0 : Math.exp(-(weights[at] ?? 0)) - leastShare
    },
  }
}

/** A word's weight is the negative logarithm of its share, to which this is added. */
const leastShare = 0.001

const length = (vector: Int8Array) => Math.sqrt(vector.reduce((sum, each) => sum + each * each, 0))
