/** Share of common bigrams (Jaccard) above which two texts are near-duplicates. */
const nearDuplicate = 0.85

const offset = 0x811c9dc5 | 0
const prime = 0x01000193
const [upperA, upperZ] = [65, 90]

const isWordPart = (code: number): boolean =>
  (code >= 97 && code <= 122) || (code >= upperA && code <= upperZ) || (code >= 48 && code <= 57) || code === 95 || code > 127

/** The bigrams of a text, pairs of neighbouring words, as 32-bit hashes (FNV-1a), ignoring case. */
export function bigramsOf(text: string): Set<number> {
  const bigrams = new Set<number>()
  let before = 0
  let word = offset
  for (let i = 0; i <= text.length; i++) {
    const code = i < text.length ? text.charCodeAt(i) : 0
    if (isWordPart(code)) {
      word = Math.imul(word ^ (code >= upperA && code <= upperZ ? code + 32 : code), prime)
    } else if (word !== offset) {
      if (before !== 0) bigrams.add(Math.imul(before, prime) ^ word)
      before = word
      word = offset
    }
  }
  return bigrams
}

/** A sample of the bigrams of a text. The samples of near-duplicates share at least one bigram. */
export function bigramSample(bigrams: Set<number>): Int32Array {
  // A near-duplicate lacks fewer than 15 % of the bigrams. If both texts are sampled in the same order, their first common bigram is in both samples.
  const size = Math.floor(bigrams.size * (1 - nearDuplicate)) + 1
  return Int32Array.from(bigrams).sort().subarray(0, size)
}

/** True if two texts, given by their bigrams, are near-duplicates. */
export function areNearDuplicates(a: Set<number>, b: Set<number>): boolean {
  const [small, large] = a.size < b.size ? [a, b] : [b, a]
  const isEnough = (common: number) => common / (a.size + b.size - common || 1) > nearDuplicate
  let common = small.size
  if (!isEnough(common)) return false
  for (const each of small) {
    if (large.has(each)) continue
    common -= 1
    if (!isEnough(common)) return false
  }
  return true
}
