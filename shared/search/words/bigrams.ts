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
  return distinct(hashes.subarray(0, count).sort())
}

function distinct(sorted: Int32Array): Int32Array {
  let count = 0
  for (let i = 0; i < sorted.length; i++) if (i === 0 || sorted[i] !== sorted[i - 1]) sorted[count++] = sorted[i] as number
  return sorted.slice(0, count)
}

/** A sample of the bigrams of a text. The samples of near-duplicates share at least one bigram. */
export const bigramSample = (bigrams: Int32Array): Int32Array =>
  // A near-duplicate lacks fewer than 15 % of the bigrams. If both texts are sampled in the same order, their first common bigram is in both samples.
  bigrams.subarray(0, Math.floor(bigrams.length * (1 - nearDuplicate)) + 1)

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
