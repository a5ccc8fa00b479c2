import { byteTable, hashByte, hashStart } from '../words/byte-table.ts'

/** Numbers words in the order in which they come. */
export type WordNumbers = {
  /** Calls `visit` for each word of a list, with its position there and its number. Words beyond the limit have no number and are omitted. */
  each(joined: string, visit: (position: number, number: number) => void): void
  readonly size: number
  /** All words by number, joined by spaces. */
  joined(): string
}

const space = 0x20

/** `max` limits the words. The lists are joined by spaces. */
export function wordNumbers(max: number): WordNumbers {
  const table = byteTable(max)
  let list = Buffer.alloc(16 * 1024)
  return {
    each(joined, visit) {
      if (joined === '') return
      if (list.length < 3 * joined.length) list = Buffer.alloc(6 * joined.length)
      const length = list.write(joined)
      let [from, position, hash] = [0, 0, hashStart]
      for (let at = 0; at <= length; at++) {
        const byte = list[at] as number
        if (at < length && byte !== space) {
          hash = hashByte(hash, byte)
          continue
        }
        const number = table.numberOf(list, from, at, hash)
        if (number >= 0) visit(position, number)
        position += 1
        from = at + 1
        hash = hashStart
      }
    },
    get size() {
      return table.size
    },
    joined: table.joined,
  }
}
