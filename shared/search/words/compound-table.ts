import { compoundsOf } from './analyse.ts'
import { byteTable, hashByte, hashStart } from './byte-table.ts'
import { addNumber, type NumberList } from './number-list.ts'

/** Numbers the compounds of texts in the order in which they come. */
export type CompoundTable = {
  /** Appends the number of each compound of a text to `numbers`. Calls `learn` for those that have a new number, in the order of numbers. */
  read(text: string, numbers: NumberList, learn: (compound: string) => void): void
  readonly size: number
}

const [other, part, joiner] = [0, 1, 2]
/** The kind of each byte. Those above ASCII occur only in compounds that `compoundsOf` found. */
const kinds = new Uint8Array(256).fill(part, 0x80)
for (let byte = 0; byte < 0x80; byte++) {
  const char = String.fromCharCode(byte)
  kinds[byte] = /[A-Za-z0-9_$@]/.test(char) ? part : /[.\-:/#]/.test(char) ? joiner : other
}

export function compoundTable(): CompoundTable {
  const table = byteTable(Number.POSITIVE_INFINITY)
  let bytes = Buffer.alloc(16 * 1024)
  const write = (text: string): number => {
    if (bytes.length < 3 * text.length) bytes = Buffer.alloc(6 * text.length)
    return bytes.write(text)
  }
  return {
    read(text, numbers, learn) {
      let length = write(text)
      // Only ASCII has one byte per character.
      if (length !== text.length) length = write(compoundsOf(text).join(' '))
      for (let at = 0; at < length; ) {
        if (kinds[bytes[at] as number] !== part) {
          at += 1
          continue
        }
        const from = at
        let [to, hash, hashTo] = [at, hashStart, hashStart]
        for (let kind = part; at < length && kind !== other; at++) {
          const byte = bytes[at] as number
          kind = kinds[byte] as number
          hash = hashByte(hash, byte)
          if (kind !== part) continue
          to = at + 1
          hashTo = hash
        }
        const known = table.size
        addNumber(numbers, table.numberOf(bytes, from, to, hashTo))
        if (table.size > known) learn(bytes.toString('utf8', from, to))
      }
    },
    get size() {
      return table.size
    },
  }
}
