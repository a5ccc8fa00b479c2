const shingleWords = 4
const maxShare = 0.4

/** The texts that share no more than two of five runs of words with a text that is held out. */
export function withoutNearDuplicates(texts: string[], heldOut: string[]): string[] {
  const known = heldOut.map(shinglesOf)
  return texts.filter((text) => {
    const own = shinglesOf(text)
    return !known.some((other) => {
      const smaller = Math.min(own.size, other.size)
      if (smaller === 0) return false
      let shared = 0
      for (const shingle of other) if (own.has(shingle)) shared++
      return shared / smaller > maxShare
    })
  })
}

function shinglesOf(text: string): Set<string> {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  const shingles = new Set<string>()
  for (let i = 0; i + shingleWords <= words.length; i++) shingles.add(words.slice(i, i + shingleWords).join(' '))
  return shingles
}
