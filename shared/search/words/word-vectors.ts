import { addNumber, numberList } from './number-list.ts'
import { lengthOf, vocabulary } from './vocabulary.ts'

/**
 * The weight of a term of a field, and the number of its terms that are read, in the order of a row's fields. The path has no
 * weight.
 */
const fieldWeights = [2, 0.7, 0.7, 1, 0.4]
const fieldTerms = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, 250, 120]
/** The share of the library's mean that is taken from the vector of a question. */
const meanShare = 0.7

/** Compares a chunk with a question. */
export type Compare = (chunk: Int8Array | undefined) => number

/**
 * The word vector of a chunk: the direction of its words in the space of the vocabulary, given the number there of each term of its fields, -1 for an unknown one.
 * Undefined if none of them is known.
 */
export function wordVectorOf(fields: readonly ArrayLike<number>[]): Int8Array | undefined {
  const words = vocabulary()
  // Summed in single precision, like the vectors of stored content.
  weights ??= new Float32Array(words.size)
  seen.length = 0
  for (let field = 0; field < fieldWeights.length; field++) addWeights(fields[field] ?? [], field, weights)
  const sum = new Float32Array(words.dimensions)
  for (let i = 0; i < seen.length; i++) {
    const word = seen.numbers[i] as number
    words.add(word, weights[word] as number, sum)
    weights[word] = 0
  }
  let max = 0
  for (let i = 0; i < sum.length; i++) max = Math.max(max, Math.abs(sum[i] as number))
  if (max === 0) return undefined
  const vector = new Int8Array(sum.length)
  for (let i = 0; i < sum.length; i++) vector[i] = Math.round((127 * (sum[i] as number)) / max)
  return vector
}

/** The weight of each word of a chunk, by its number; 0 again after each chunk. */
let weights: Float32Array | undefined
/** The words of a chunk in the order of their first occurrence. */
const seen = numberList()

function addWeights(terms: ArrayLike<number>, field: number, weights: Float32Array): void {
  const weight = fieldWeights[field] as number
  const end = Math.min(terms.length, fieldTerms[field] as number)
  for (let i = 0; i < end; i++) {
    const word = terms[i] as number
    if (word < 0) continue
    if (weights[word] === 0) addNumber(seen, word)
    weights[word] = (weights[word] as number) + weight
  }
}

/** Adds the word vector of a chunk, at length 1. */
export function addWordVector(vector: Int8Array, sum: Float32Array): void {
  const length = lengthOf(vector)
  for (let i = 0; i < vector.length; i++) sum[i] = (sum[i] as number) + (vector[i] as number) / length
}

/**
 * The cosine of a question and a chunk, both without the mean of the library. 0 for a chunk without a vector, and for any chunk if the question has
 * none.
 */
export function wordVectorComparison(stems: string[], mean: Float32Array | undefined): Compare {
  const words = vocabulary()
  const question = new Float32Array(words.dimensions)
  if (mean === undefined || mean.length !== question.length) return () => 0
  for (const stem of stems) {
    const word = words.find(stem)
    if (word !== undefined) words.add(word, 1, question)
  }
  const length = lengthOf(question)
  if (length === 0) return () => 0
  for (let i = 0; i < question.length; i++) question[i] = (question[i] as number) / length - meanShare * (mean[i] as number)
  const questionLength = lengthOf(question)
  const [meanByQuestion, meanLength] = [product(mean, question), lengthOf(mean)]
  return (chunk) => {
    if (chunk?.length !== question.length) return 0
    const chunkLength = lengthOf(chunk)
    const aside = product(chunk, question) / chunkLength - meanByQuestion
    const rest = 1 - (2 * product(chunk, mean)) / chunkLength + meanLength * meanLength
    return rest > 0 ? aside / (Math.sqrt(rest) * questionLength || 1) : 0
  }
}

function product(a: Int8Array | Float32Array, b: Float32Array): number {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += (a[i] as number) * (b[i] as number)
  return sum
}
