import { randomInt } from 'node:crypto'

/** Numbers words in the order in which they come. */
export type WordNumbers = {
  /** Calls `found` for each word of a list, with its position there and its number. Words beyond the limit have no number and are omitted. */
  each(joined: string, visit: (position: number, number: number) => void): void
  readonly size: number
  /** All words by number, joined by spaces. */
  joined(): string
}

const space = 0x20
/** The prime of the hash FNV-1a. */
const hashPrime = 0x01000193
/** Random, so that no document can hold words that are all searched for at the same place. */
const hashStart = randomInt(2 ** 32)

/** `max` limits the words. The lists are joined by spaces. A table of bytes is faster than a map of strings. */
export function wordNumbers(max: number): WordNumbers {
  /** All words, each followed by a space. */
  let words = Buffer.alloc(16 * 1024)
  let end = 0
  let size = 0
  /** The start of each word in `words`, by its number; `hashes` has its hash. */
  let starts = new Uint32Array(1024)
  let hashes = new Uint32Array(1024)
  /** A number + 1, or 0: the first free place from the hash on. */
  let slots = new Uint32Array(4096)
  let list = Buffer.alloc(16 * 1024)

  const isWord = (number: number, from: number, to: number): boolean => {
    const start = starts[number] as number
    const length = to - from
    for (let i = 0; i < length; i++) if (words[start + i] !== list[from + i]) return false
    return words[start + length] === space
  }
  const place = (hash: number): number => {
    let at = hash & (slots.length - 1)
    while (slots[at] !== 0) at = (at + 1) & (slots.length - 1)
    return at
  }
  const add = (from: number, to: number, hash: number): number => {
    if (2 * size >= slots.length) {
      slots = new Uint32Array(2 * slots.length)
      for (let number = 0; number < size; number++) slots[place(hashes[number] as number)] = number + 1
    }
    if (size === starts.length) {
      starts = grown(starts)
      hashes = grown(hashes)
    }
    const length = to - from
    while (end + length + 1 > words.length) words = Buffer.concat([words, Buffer.alloc(words.length)])
    list.copy(words, end, from, to)
    words[end + length] = space
    starts[size] = end
    hashes[size] = hash
    end += length + 1
    slots[place(hash)] = size + 1
    size += 1
    return size - 1
  }
  const numberOf = (from: number, to: number, hash: number): number | undefined => {
    for (let at = hash & (slots.length - 1); ; at = (at + 1) & (slots.length - 1)) {
      const number = (slots[at] as number) - 1
      if (number < 0) return size < max ? add(from, to, hash) : undefined
      if (hashes[number] === hash && isWord(number, from, to)) return number
    }
  }

  return {
    each(joined, visit) {
      if (joined === '') return
      if (list.length < 3 * joined.length) list = Buffer.alloc(6 * joined.length)
      const length = list.write(joined)
      let [from, position, hash] = [0, 0, hashStart]
      for (let at = 0; at <= length; at++) {
        const byte = list[at] as number
        if (at < length && byte !== space) {
          hash = Math.imul(hash ^ byte, hashPrime)
          continue
        }
        const number = numberOf(from, at, hash >>> 0)
        if (number !== undefined) visit(position, number)
        position += 1
        from = at + 1
        hash = hashStart
      }
    },
    get size() {
      return size
    },
    joined: () => words.toString('utf8', 0, Math.max(0, end - 1)),
  }
}

function grown(array: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(2 * array.length)
  larger.set(array)
  return larger
}
