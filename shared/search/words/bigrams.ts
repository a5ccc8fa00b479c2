/** Share of common bigrams (Jaccard) above which two texts are near-duplicates. */
const nearDuplicate = 0.85

const offset = 0x811c9dc5 | 0
const prime = 0x01000193
const [upperA, upperZ] = [65, 90]

const isWordPart = (code: number): boolean =>
  (code >= 97 && code <= 122) || (code >= upperA && code <= upperZ) || (code >= 48 && code <= 57) || code === 95 || code > 127

let hashes = new Int32Array(1024)

/** The bigrams of a text, pairs of neighbouring words, as sorted 32-bit hashes (FNV-1a), ignoring case. */
export function bigramsOf(text: string): Int32Array {
  const count = readBigrams(text)
  return distinct(hashes.subarray(0, count).sort())
}

/** Writes the hash of each bigram to `hashes` and returns their number. */
function readBigrams(text: string): number {
  if (hashes.length < text.length) hashes = new Int32Array(2 * text.length)
  let count = 0
  let before = 0
  let word = offset
  for (let i = 0; i <= text.length; i++) {
    const code = i < text.length ? text.charCodeAt(i) : 0
    if (isWordPart(code)) {
      word = Math.imul(word ^ (code >= upperA && code <= upperZ ? code + 32 : code), prime)
    } else if (word !== offset) {
      if (before !== 0) hashes[count++] = Math.imul(before, prime) ^ word
      before = word
      word = offset
    }
  }
  return count
}

function distinct(sorted: Int32Array): Int32Array {
  let count = 0
  for (let i = 0; i < sorted.length; i++) if (i === 0 || sorted[i] !== sorted[i - 1]) sorted[count++] = sorted[i] as number
  return sorted.slice(0, count)
}

/** A set of 512 bits, one of which is set for each bigram of a text, and the number of bigrams before duplicates are removed. */
export type BigramSketch = { bits: Int32Array; count: number }

const sketchWords = 16
/** 2³² divided by the golden ratio: multiplying by it mixes all bits into the upper ones. */
const goldenRatio = 0x9e3779b1

export function bigramSketch(text: string): BigramSketch {
  const count = readBigrams(text)
  const bits = new Int32Array(sketchWords)
  for (let i = 0; i < count; i++) {
    // The low bits of FNV-1a differ little between words that differ in their last letters.
    const bit = Math.imul(hashes[i] as number, goldenRatio) >>> 23
    bits[bit >>> 5] = (bits[bit >>> 5] as number) | (1 << (bit & 31))
  }
  return { bits, count }
}

/** False only for texts that are no near-duplicates. Faster than to compare their bigrams. */
export function mayBeNearDuplicates(a: BigramSketch, b: BigramSketch): boolean {
  // Every bit that differs takes a bigram that one text lacks, and near-duplicates lack few.
  let left = (Math.min(a.count, b.count) * (1 - nearDuplicate)) / nearDuplicate
  for (let i = 0; i < sketchWords && left >= 0; i++) left -= bitsIn((a.bits[i] as number) ^ (b.bits[i] as number))
  return left >= 0
}

/** The number of bits that are set in 32 bits, counted in pairs, fours and bytes. */
function bitsIn(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555)
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333)
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}

/** True if two texts, given by their bigrams, are near-duplicates. */
export function areNearDuplicates(a: Int32Array, b: Int32Array): boolean {
  const isEnough = (common: number) => common / (a.length + b.length - common || 1) > nearDuplicate
  if (!isEnough(Math.min(a.length, b.length))) return false
  let [i, j, common] = [0, 0, 0]
  while (i < a.length && j < b.length) {
    const difference = (a[i] as number) - (b[j] as number)
    if (difference === 0) common += 1
    if (difference <= 0) i += 1
    if (difference >= 0) j += 1
  }
  return isEnough(common)
}
