/** Bounds memory: hashes beyond this number are always reported as new. */
const maxMarks = 1_000_000

/** Returns a function that is true if it gets a hash for the first time. */
export function newHashes(): (hash: string) => boolean {
  const seen = new Set<number>()
  return (hash) => {
    const mark = Number.parseInt(hash.slice(0, 13), 16)
    if (seen.has(mark)) return false
    if (seen.size < maxMarks) seen.add(mark)
    return true
  }
}
