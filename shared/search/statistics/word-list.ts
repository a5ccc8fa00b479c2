import { byteLetterClasses, differingClasses } from '../../text/edit-distance.ts'

/** A sorted list of words in one buffer, searched in place. */
export type WordList = {
  /** The index of a word, -1 if it is not in the list. */
  find(word: string): number
  /** Words with the same first letter and a length in the range, whose letters differ from those of `word` in at most `maxDiffering` classes. */
  similar(word: string, minLength: number, maxLength: number, maxDiffering: number): string[]
  /** Words that start with `prefix`, sorted. */
  startingWith(prefix: string): string[]
}

/** No real vocabulary has more. The limit bounds the cost of a question if the words are noise. */
const maxSimilar = 2_000

const space = 0x20

export type SortedWords = {
  bytes: Uint8Array
  /** The start of each word in `bytes`, with the end of the last one. */
  starts: Uint32Array
  /** The previous position of each word. */
  order: Uint32Array
}

/**
 * Sorts different words, joined by spaces, by their UTF-8 bytes. Works on bytes and numbers, because many words take much memory
 * as strings.
 */
export function sortWords(joined: string): SortedWords {
  const joinedBytes = Buffer.from(joined)
  const ends = endsOf(joinedBytes)
  const from = (word: number) => (word === 0 ? 0 : (ends[word - 1] as number) + 1)
  const firstBytes = new Uint32Array(ends.length)
  for (let word = 0; word < ends.length; word++) {
    const [start, end] = [from(word), ends[word] as number]
    for (let i = 0; i < 4; i++)
      firstBytes[word] = (firstBytes[word] as number) * 256 + (start + i < end ? (joinedBytes[start + i] as number) : 0)
  }
  const compare = (a: number, b: number): number => {
    const difference = (firstBytes[a] as number) - (firstBytes[b] as number)
    if (difference !== 0) return difference
    const [aEnd, bEnd] = [ends[a] as number, ends[b] as number]
    let [i, j] = [from(a), from(b)]
    while (i < aEnd && j < bEnd && joinedBytes[i] === joinedBytes[j]) {
      i += 1
      j += 1
    }
    return i < aEnd && j < bEnd ? (joinedBytes[i] as number) - (joinedBytes[j] as number) : aEnd - i - (bEnd - j)
  }
  const order = ends.map((_, word) => word).sort(compare)
  const bytes = Buffer.alloc(joinedBytes.length - Math.max(0, ends.length - 1))
  const starts = new Uint32Array(order.length + 1)
  order.forEach((word, at) => {
    const start = starts[at] as number
    starts[at + 1] = start + joinedBytes.copy(bytes, start, from(word), ends[word])
  })
  return { bytes, starts, order }
}

/** The end of each word. */
function endsOf(joined: Buffer): Uint32Array {
  if (joined.length === 0) return new Uint32Array()
  let count = 1
  for (const byte of joined) if (byte === space) count += 1
  const ends = new Uint32Array(count).fill(joined.length)
  for (let at = joined.indexOf(space), word = 0; at >= 0; at = joined.indexOf(space, at + 1), word++) ends[word] = at
  return ends
}

/** Reads the bytes and starts of `sortWords`. */
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
      const words: string[] = []
      for (let at = lowest(first); at < size; at++) {
        const [from, to] = [starts[at] as number, starts[at + 1] as number]
        if (to - from < first.length || bytes.compare(first, 0, first.length, from, from + first.length) !== 0) break
        if (to - from < minLength || to - from > maxLength * 4 || differingClasses(asked, letters[at] as number) > maxDiffering)
          continue
        const candidate = bytes.toString('utf8', from, to)
        if (candidate.length >= minLength && candidate.length <= maxLength) words.push(candidate)
        if (words.length >= maxSimilar) break
      }
      return words
    },
    startingWith(prefix) {
      const start = Buffer.from(prefix)
      const words: string[] = []
      for (let at = lowest(start); at < size && words.length < maxSimilar; at++) {
        const word = bytes.subarray(starts[at], starts[at + 1])
        if (!word.subarray(0, start.length).equals(start)) break
        words.push(word.toString())
      }
      return words
    },
  }
}
