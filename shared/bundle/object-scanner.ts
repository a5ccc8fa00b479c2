const [quote, backslash] = [0x22, 0x5c]
const [openBrace, openBracket, closeBrace, closeBracket] = [0x7b, 0x5b, 0x7d, 0x5d]

/** Finds the end of one JSON object in chunks of bytes without parsing it. */
export type ObjectScanner = {
  /** Reads from `from` on. Returns the position after the object, or undefined if it does not end in this chunk. */
  scan(chunk: Uint8Array, from: number): number | undefined
  /** Number of open objects and lists. */
  readonly depth: number
  readonly sizeBytes: number
  /** The bytes of the object. */
  taken(): Uint8Array
}

/** Starts at the brace that opens the object. */
export function objectScanner(): ObjectScanner {
  const parts: Uint8Array[] = []
  let [depth, maxDepth, sizeBytes] = [0, 0, 0]
  let isText = false
  /** The last chunk ended with a backslash that escapes what follows. */
  let isEscaping = false

  /** True if an odd number of backslashes is before `end`. */
  const isEscapedAt = (chunk: Uint8Array, end: number, from: number): boolean => {
    let at = end - 1
    while (at >= from && chunk[at] === backslash) at -= 1
    const isOdd = (end - 1 - at) % 2 === 1
    return at < from && isEscaping ? !isOdd : isOdd
  }
  const endOf = (chunk: Uint8Array, from: number): number | undefined => {
    for (let at = from; at < chunk.length; at++) {
      if (isText) {
        const end = chunk.indexOf(quote, at)
        if (end < 0) {
          isEscaping = isEscapedAt(chunk, chunk.length, from)
          return undefined
        }
        if (!isEscapedAt(chunk, end, from)) isText = false
        at = end
        isEscaping = false
        continue
      }
      const byte = chunk[at]
      if (byte === quote) isText = true
      else if (byte === openBrace || byte === openBracket) maxDepth = Math.max(maxDepth, ++depth)
      else if ((byte === closeBrace || byte === closeBracket) && --depth === 0) return at + 1
    }
    return undefined
  }
  return {
    scan(chunk, from) {
      const end = endOf(chunk, from)
      const part = chunk.subarray(from, end)
      parts.push(part)
      sizeBytes += part.length
      return end
    },
    get depth() {
      return maxDepth
    },
    get sizeBytes() {
      return sizeBytes
    },
    taken: () => (parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts)),
  }
}
