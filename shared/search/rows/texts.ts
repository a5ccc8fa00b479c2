/** Texts in UTF-8, one after the other: text `i` begins at `starts[i]` and ends at `starts[i + 1]`. */
export type Texts = { starts: Int32Array<ArrayBuffer>; bytes: Uint8Array<ArrayBuffer> }

/** Maximum length of one UTF-16 unit of a string in UTF-8. */
const maxUnitBytes = 3
const initialBytes = 64 * 1024
/** A builder that needed more for one page gives it back. */
const maxKeptBytes = 8 * 1024 * 1024

/** Joins texts without an array or a string for each. */
export function textsBuilder() {
  let bytes = Buffer.from(new ArrayBuffer(initialBytes))
  let starts = new Int32Array(1024)
  let [count, sizeBytes] = [0, 0]
  const reserve = (more: number) => {
    if (sizeBytes + more <= bytes.length) return
    const grown = Buffer.from(new ArrayBuffer(Math.max(2 * bytes.length, sizeBytes + more)))
    bytes.copy(grown, 0, 0, sizeBytes)
    bytes = grown
  }
  const append = (text: string) => {
    reserve(text.length * maxUnitBytes)
    sizeBytes += bytes.write(text, sizeBytes)
  }
  const end = () => {
    count += 1
    if (count === starts.length) {
      const grown = new Int32Array(2 * starts.length)
      grown.set(starts)
      starts = grown
    }
    starts[count] = sizeBytes
  }
  return {
    get count() {
      return count
    },
    get sizeBytes() {
      return sizeBytes
    },
    add(text: string) {
      append(text)
      end()
    },
    /** Adds a text with `prefix` instead of its first `skipBytes` bytes. */
    copy({ starts: from, bytes: source }: Texts, index: number, prefix = '', skipBytes = 0) {
      if (prefix !== '') append(prefix)
      const part = source.subarray((from[index] as number) + skipBytes, from[index + 1])
      reserve(part.length)
      bytes.set(part, sizeBytes)
      sizeBytes += part.length
      end()
    },
    /** The texts so far, in their own memory. The builder starts again. */
    take(): Texts {
      const taken = { starts: starts.slice(0, count + 1), bytes: new Uint8Array(bytes.subarray(0, sizeBytes)) }
      this.clear()
      return taken
    },
    clear() {
      count = 0
      sizeBytes = 0
      if (bytes.length > maxKeptBytes) bytes = Buffer.from(new ArrayBuffer(initialBytes))
    },
  }
}

export const textAt = ({ starts, bytes }: Texts, index: number): string => {
  const [from, to] = [starts[index] as number, starts[index + 1] as number]
  return Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from).toString()
}
