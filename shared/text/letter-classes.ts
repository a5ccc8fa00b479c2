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
