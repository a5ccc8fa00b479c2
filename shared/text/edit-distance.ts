/**
 * Damerau-Levenshtein distance (optimal string alignment) in UTF-16 units: insertions, deletions, replacements
 * and swaps of neighbours, with each unit moved at most once. Returns `limit + 1` for a distance above `limit`.
 */
export function editDistance(a: string, b: string, limit: number): number {
  const above = limit + 1
  if (a === b) return 0
  if (Math.abs(a.length - b.length) > limit) return above
  if (a.length === 0 || b.length === 0) return Math.max(a.length, b.length)

  let [beforeLast, last, current] = threeRows(b.length + 2)
  for (let column = 0; column <= b.length; column++) last[column] = column
  for (let row = 1; row <= a.length; row++) {
    const from = Math.max(1, row - limit)
    const to = Math.min(b.length, row + limit)
    current[from - 1] = from === 1 ? row : above
    current[to + 1] = above
    let rowMin = from === 1 ? row : above
    const letter = a.charCodeAt(row - 1)
    const letterBefore = row > 1 ? a.charCodeAt(row - 2) : -1
    for (let column = from; column <= to; column++) {
      const other = b.charCodeAt(column - 1)
      const replaced = (last[column - 1] ?? 0) + (letter === other ? 0 : 1)
      let distance = Math.min((last[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1, replaced)
      if (column > 1 && letterBefore === other && letter === b.charCodeAt(column - 2)) {
        distance = Math.min(distance, (beforeLast[column - 2] ?? 0) + 1)
      }
      current[column] = distance
      rowMin = Math.min(rowMin, distance)
    }
    if (rowMin > limit) return above
    ;[beforeLast, last, current] = [last, current, beforeLast]
  }
  return Math.min(last[b.length] ?? above, above)
}

type Rows = [Uint32Array, Uint32Array, Uint32Array]

let rows: Rows = [new Uint32Array(128), new Uint32Array(128), new Uint32Array(128)]

/** Reuses three rows for every call: most calls end after a few letters, and allocation would cost more than the work. */
function threeRows(length: number): Rows {
  if (rows[0].length < length) rows = [new Uint32Array(2 * length), new Uint32Array(2 * length), new Uint32Array(2 * length)]
  return rows
}

/** The letter classes of a text, out of 32, one bit each. One edit changes at most two of them, so most words need no edit distance. */
export function letterClasses(text: string): number {
  let classes = 0
  for (let i = 0; i < text.length; i++) classes |= 1 << (text.charCodeAt(i) & 31)
  return classes
}

/** `letterClasses` for bytes. Compare the result only with that of other bytes. */
export function byteLetterClasses(bytes: Uint8Array, from = 0, to = bytes.length): number {
  let classes = 0
  for (let at = from; at < to; at++) classes |= 1 << ((bytes[at] as number) & 31)
  return classes
}

/** The number of classes that only one of the two has. */
export function differingClasses(some: number, others: number): number {
  let bits = some ^ others
  bits -= (bits >>> 1) & 0x55555555
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333)
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}
