import { byteLetterClasses, differingClasses } from './letter-classes.ts'

/** A sorted list of words in one buffer, searched in place. */
export type WordList = {
  /** The index of a word, -1 if it is not in the list. */
  find(word: string): number
  /** Words with the same first letter and a length in the range, whose letters differ from those of `word` in at most `maxDiffering` classes. */
  similar(word: string, minLength: number, maxLength: number, maxDiffering: number): string[]
}

/** More than any real vocabulary has. Bounds the cost of a question if the words are noise. */
const maxSimilar = 2_000

/** The words of a column of `PageCounts`. */
export const splitWords = (joined: string): string[] => (joined === '' ? [] : joined.split(' '))

/** Sorts words by their UTF-8 bytes. This equals the order of strings, except for characters beyond the basic plane. */
export function inByteOrder(words: string[]): string[] {
  if (!words.some((word) => /[\ud800-\udfff]/.test(word))) return words.sort()
  return words.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
}

/** The bytes of the sorted words, and the start of each, with the end of the last one. */
export function packWords(sorted: string[]): [Uint8Array, Uint32Array] {
  const starts = new Uint32Array(sorted.length + 1)
  const parts = sorted.map((each) => Buffer.from(each))
  parts.forEach((part, i) => {
    starts[i + 1] = (starts[i] as number) + part.length
  })
  return [Buffer.concat(parts), starts]
}

/** Reads the output of `packWords`. */
export function wordList(bytes: Buffer, starts: Uint32Array): WordList {
  const size = starts.length - 1
  let letters: Uint32Array | undefined
  const compare = (at: number, target: Buffer) => bytes.compare(target, 0, target.length, starts[at], starts[at + 1])
  const lowest = (target: Buffer) => {
    let low = 0
    let high = size
    while (low < high) {
      const middle = (low + high) >>> 1
      if (compare(middle, target) < 0) low = middle + 1
      else high = middle
    }
    return low
  }
  return {
    find(word) {
      const target = Buffer.from(word)
      const at = lowest(target)
      return at < size && compare(at, target) === 0 ? at : -1
    },
    similar(word, minLength, maxLength, maxDiffering) {
      const first = Buffer.from([...word][0] ?? '')
      if (first.length === 0) return []
      letters ??= Uint32Array.from({ length: size }, (_, at) => byteLetterClasses(bytes, starts[at], starts[at + 1]))
      const asked = byteLetterClasses(Buffer.from(word))
      const found: string[] = []
      for (let at = lowest(first); at < size; at++) {
        const [from, to] = [starts[at] as number, starts[at + 1] as number]
        if (to - from < first.length || bytes.compare(first, 0, first.length, from, from + first.length) !== 0) break
        if (to - from < minLength || to - from > maxLength * 4 || differingClasses(asked, letters[at] as number) > maxDiffering)
          continue
        const candidate = bytes.toString('utf8', from, to)
        if (candidate.length >= minLength && candidate.length <= maxLength) found.push(candidate)
        if (found.length >= maxSimilar) break
      }
      return found
    },
  }
}
