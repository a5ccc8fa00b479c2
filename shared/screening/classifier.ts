import { readFileSync } from 'node:fs'
import type { FoundPhrase } from './phrases.ts'
import type { Word } from './words.ts'

/**
 * The result of `npm run data:screening`. A weight is in the place of its hash, if the mark there is that of the hash. The thresholds are the scores
 * from which a text is flagged, and from which a hidden one is, which is withheld.
 */
export type Classifier = {
  weights: Int8Array
  marks: Uint16Array
  scale: number
  bias: number
  threshold: number
  hiddenThreshold: number
}

/** True if some words of a text read like an instruction to an agent. */
export function readsLikeInstruction(words: Word[], phrases: FoundPhrase[], isHidden: boolean): boolean {
  loaded ??= readClassifier()
  return scoreOf(loaded, words, phrases) >= (isHidden ? loaded.hiddenThreshold : loaded.threshold)
}

/** The score of the window that reads most like an instruction. */
export function scoreOf(classifier: Classifier, words: Word[], phrases: FoundPhrase[]): number {
  const features = featuresOf(words, phrases)
  let distinct = 0
  for (let f = 0; f < features.length && distinct < minWords; f += perWord) if (features[f] !== 0) distinct++
  if (distinct < minWords) return Number.NEGATIVE_INFINITY
  return bestWindow(weightsOf(classifier, features), classifier.bias)?.score ?? Number.NEGATIVE_INFINITY
}

export type ClassifierFiles = { json: URL; bin: URL }

const shipped: ClassifierFiles = {
  json: new URL('./data/classifier.json', import.meta.url),
  bin: new URL('./data/classifier.bin', import.meta.url),
}
let loaded: Classifier | undefined

/** Reads a classifier, by default the one that Carrel ships: its numbers, and its marks and weights. */
export function readClassifier({ json, bin }: ClassifierFiles = shipped): Classifier {
  const numbers = JSON.parse(readFileSync(json, 'utf8')) as Omit<Classifier, 'weights' | 'marks'>
  const bytes = Uint8Array.from(readFileSync(bin)).buffer
  const places = bytes.byteLength / 3
  return { ...numbers, marks: new Uint16Array(bytes, 0, places), weights: new Int8Array(bytes, 2 * places, places) }
}

/** The place of a hash among a power of two of them, and its mark there. */
export const placeOf = (hash: number, places: number): number => hash & (places - 1)
export const markOf = (hash: number): number => hash >>> 16

/** The sum of the weights of each word. */
export function weightsOf({ weights, marks, scale }: Classifier, features: Int32Array): Float32Array {
  const sums = new Float32Array(features.length / perWord)
  for (let word = 0, f = 0; word < sums.length; word++) {
    let sum = 0
    for (let end = f + perWord; f < end; f++) {
      const hash = features[f] as number
      const place = placeOf(hash, marks.length)
      if (marks[place] === markOf(hash)) sum += weights[place] as number
    }
    sums[word] = sum * scale
  }
  return sums
}

/** The best window of a text, in words, and how much it reads like an instruction to an agent: 0 is as likely as not in training. */
export type Reading = { score: number; from: number; to: number }

/** The run of words with the highest sum of weights, by its size. `weights` has the sum of a word's weights for each word. */
export function bestWindow(weights: Float32Array, bias: number): Reading | undefined {
  const sums = new Float64Array(weights.length + 1)
  for (let i = 0; i < weights.length; i++) sums[i + 1] = (sums[i] as number) + (weights[i] as number)
  let best: Reading | undefined
  for (const { from, to } of windowsOf(weights.length)) {
    const score = ((sums[to] as number) - (sums[from] as number)) / Math.sqrt(to - from) + bias
    if (best === undefined || score > best.score) best = { score, from, to }
  }
  return best
}

/** Different words that a text needs. */
const minWords = 8
const sizes = [10, 20, 40]

/** Runs of words of some sizes, and the whole of a shorter text. */
export function* windowsOf(words: number): Generator<{ from: number; to: number }> {
  for (const size of sizes) {
    if (words <= size) {
      if (words > 0) yield { from: 0, to: words }
      return
    }
    for (let from = 0; from + size <= words; from++) yield { from, to: from + size }
  }
}

const maxRecent = 40

/** Hashes for a word: itself, and with each of the three words before it in its sentence. */
export const perWord = 6

/** The hashes of all words, `perWord` each; 0 is none. */
export function featuresOf(words: Word[], phrases: FoundPhrase[]): Int32Array {
  const features = new Int32Array(words.length * perWord)
  const hashes = new Int32Array(words.length)
  for (let i = 0; i < words.length; i++) {
    const { word, sentence } = words[i] as Word
    const own = hashOf(classOf(word))
    hashes[i] = own
    const before = (steps: number): number =>
      i < steps || words[i - steps]?.sentence !== sentence ? 0 : (hashes[i - steps] as number)
    const [last, second, third] = [before(1), before(2), before(3)]
    const at = i * perWord
    features[at] = mixed(own, 1)
    features[at + 1] = mixed(last === 0 ? 7 : last, own)
    features[at + 2] = second === 0 ? 0 : mixed(Math.imul(second, 3), own)
    features[at + 3] = third === 0 ? 0 : mixed(Math.imul(third, 5), own)
    features[at + 4] = second === 0 ? 0 : mixed(mixed(second, last), own)
  }
  for (const { signal, weight, word } of phrases) {
    const at = Math.min(word, words.length - 1) * perWord + 5
    if (at >= 0) features[at] = mixed(hashOf(signal), weight)
  }
  return withoutRepeats(features)
}

/** A feature is valid once in some lines: what repeats, such as a list of addresses, is no instruction. */
function withoutRepeats(features: Int32Array): Int32Array {
  const last = new Int32Array(16_384).fill(-maxRecent)
  for (let f = 0; f < features.length; f++) {
    const place = (features[f] as number) & (last.length - 1)
    const word = Math.floor(f / perWord)
    if (word - (last[place] as number) < maxRecent) features[f] = 0
    last[place] = word
  }
  return features
}

const models = new Set(
  'claude chatgpt gpt gemini copilot cursor codex llama cline windsurf devin aider grok mistral openai anthropic'.split(' '),
)
const secretPlace =
  /^(?:~|\$home)?\/?\.(?:ssh|aws|env|npmrc|netrc|kube|docker|gnupg|git-credentials)\b|id_(?:rsa|ed25519)|\.env$|^\/etc\/(?:passwd|shadow)/

/** Words of which there are many are one: numbers, paths, addresses, names of models. */
function classOf(word: string): string {
  if (models.has(word)) return '<model>'
  if (secretPlace.test(word)) return '<secret>'
  if (word.includes('@') && word.includes('.')) return '<mail>'
  if (/^\d/.test(word)) return '<number>'
  if (word.includes('/')) return word.includes('.') ? '<address>' : '<path>'
  if (word.length > 3 && word.includes('.')) return '<name>'
  if (word.includes('_')) return '<symbol>'
  return word
}

function hashOf(word: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < word.length; i++) hash = Math.imul(hash ^ word.charCodeAt(i), 0x01000193)
  return hash
}

/** Never 0. */
function mixed(a: number, b: number): number {
  let hash = Math.imul(a ^ 0x9e3779b9, 0x85ebca6b) ^ b
  hash = Math.imul(hash ^ (hash >>> 15), 0xc2b2ae35)
  return (hash ^ (hash >>> 13)) | 0 || 1
}
