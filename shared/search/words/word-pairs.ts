/** Share of common word pairs (Jaccard) above which two texts are near-duplicates. */
const nearDuplicate = 0.85

const offset = 0x811c9dc5 | 0
const prime = 0x01000193
const [upperA, upperZ] = [65, 90]

const isWordPart = (code: number): boolean =>
  (code >= 97 && code <= 122) || (code >= upperA && code <= upperZ) || (code >= 48 && code <= 57) || code === 95 || code > 127

/** Pairs of neighbouring words of a text as 32-bit hashes (FNV-1a), ignoring case. */
export function wordPairs(text: string): Set<number> {
  const pairs = new Set<number>()
  let before = 0
  let word = offset
  for (let i = 0; i <= text.length; i++) {
    const code = i < text.length ? text.charCodeAt(i) : 0
    if (isWordPart(code)) {
      word = Math.imul(word ^ (code >= upperA && code <= upperZ ? code + 32 : code), prime)
    } else if (word !== offset) {
      if (before !== 0) pairs.add(Math.imul(before, prime) ^ word)
      before = word
      word = offset
    }
  }
  return pairs
}

/** A sample of the word pairs of a text. The samples of near-duplicates share at least one pair. */
export function pairSample(pairs: Set<number>): Int32Array {
  // A near-duplicate lacks fewer than 15 % of the pairs. If both texts are sampled in the same order, their first common pair is in both samples.
  const size = Math.floor(pairs.size * (1 - nearDuplicate)) + 1
  return Int32Array.from(pairs).sort().subarray(0, size)
}

/** True if two texts, given by their word pairs, are near-duplicates. */
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
