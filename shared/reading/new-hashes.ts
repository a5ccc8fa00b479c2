/** A set takes 16 million; what comes beyond this many counts as new although it may have come already. */
const maxMarks = 1_000_000

/** A function that says of each hash of a library whether it comes for the first time. */
export function newHashes(): (hash: string) => boolean {
  const seen = new Set<number>()
  return (hash) => {
    const mark = Number.parseInt(hash.slice(0, 13), 16)
    if (seen.has(mark)) return false
    if (seen.size < maxMarks) seen.add(mark)
    return true
  }
}
