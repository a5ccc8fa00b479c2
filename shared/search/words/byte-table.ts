import { randomInt } from 'node:crypto'

/** Numbers words, given as UTF-8, in the order in which they come. A table of bytes is faster than a map of strings. */
export type ByteTable = {
  /** The number of the word from `from` to `to` in `list`, whose `hash` is that of `hashByte` over its bytes. -1 for a new word beyond the limit. */
  numberOf(list: Buffer, from: number, to: number, hash: number): number
  readonly size: number
  /** All words by number, joined by spaces. */
  joined(): string
}

const space = 0x20
/** The prime of the hash FNV-1a. */
const hashPrime = 0x01000193
/** The hash of no bytes. Random, so that no document can hold words that are all searched for at the same place. */
export const hashStart = randomInt(2 ** 32) | 0

/**
 * A step of FNV-1a, whose high bits are then mixed into the low ones. Without that, words with the same hash from one start have the same from
 * each start with the same low byte, which is one of 256.
 */
export function hashByte(hash: number, byte: number): number {
  const product = Math.imul(hash ^ byte, hashPrime)
  return product ^ (product >>> 15)
}

/** `max` limits the words. */
export function byteTable(max: number): ByteTable {
  /** All words, each followed by a space. */
  let words = Buffer.alloc(16 * 1024)
  let end = 0
  let size = 0
  /** The start of each word in `words`, by its number; `hashes` has its hash. */
  let starts = new Int32Array(1024)
  let hashes = new Int32Array(1024)
  /** A number + 1, or 0: the first free place from the hash on. */
  let slots = new Int32Array(4096)

  const isWord = (number: number, list: Buffer, from: number, to: number): boolean => {
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
  const add = (list: Buffer, from: number, to: number, hash: number): number => {
    if (2 * size >= slots.length) {
      slots = new Int32Array(2 * slots.length)
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

  return {
    numberOf(list, from, to, hash) {
      for (let at = hash & (slots.length - 1); ; at = (at + 1) & (slots.length - 1)) {
        const number = (slots[at] as number) - 1
        if (number < 0) return size < max ? add(list, from, to, hash) : -1
        if (hashes[number] === hash && isWord(number, list, from, to)) return number
      }
    },
    get size() {
      return size
    },
    joined: () => words.toString('utf8', 0, Math.max(0, end - 1)),
  }
}

function grown(array: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(2 * array.length)
  larger.set(array)
  return larger
}
