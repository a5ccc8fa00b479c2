import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import type { PageLanguage } from '../../reading/discover/languages/page-language.ts'
import type { PageCounts } from '../../search/statistics/statistics.ts'

/**
 * The files that a page of a generation was read from, and facts that its rows do not hold: enough to keep it while these files
 * do not change.
 */
export type PageOrigin = {
  path: string
  /** Blob id of the file. */
  id: string
  /** Other files that the page depends on, with their blob ids; '' for a file that did not exist. */
  consulted?: [path: string, id: string][]
  /** It was read as a page whose title several pages have. */
  repeatsTitle?: true
  /** The reason why the file was skipped. */
  skipped?: string
  /** The report does not list the skipped file. */
  isExpected?: true
  omitted?: string
  language?: PageLanguage
  /** The language of the documentation that it belongs to. */
  docsLanguage?: string
  /** Some chunks have no title or description, which a language model could add. */
  lacksText?: true
  /** Its number in the generation, and how many rows it has there. Absent for a skipped file. */
  stored?: { page: number; rows: number }
}

/** Origins of another release may come from another reader. `format` is that of the rows, `fileBytes` is the limit that files were read with. */
export type OriginsOf = { release: string; format: number; fileBytes: number }

export type OriginsWriter = {
  add(origin: PageOrigin, counts: PageCounts | undefined): Promise<void>
  /** Returns undefined if they are too large to be stored. */
  finish(): Promise<Uint8Array | undefined>
}

/** Uncompressed characters of a part. A part is parsed without a pause. */
const partChars = 256 * 1024
const maxBytes = 64 * 1024 * 1024
const compress = promisify(gzip)
const decompress = promisify(gunzip)

/** Packs origins into compressed parts, each a number of lines: first `OriginsOf`, then an origin and its counts per line. */
export function originsWriter(of: OriginsOf): OriginsWriter {
  const parts: Buffer[] = []
  let lines: string[] = [JSON.stringify(of)]
  let chars = 0
  let bytes = 0
  const flush = async () => {
    const part = await compress(lines.join('\n'), { level: 1 })
    lines = []
    chars = 0
    bytes += part.length
    if (bytes > maxBytes) parts.length = 0
    else parts.push(lengthOf(part), part)
  }
  return {
    async add(origin, counts) {
      if (bytes > maxBytes) return
      const line = `${JSON.stringify(origin)}\t${counts ? JSON.stringify(packed(counts)) : ''}`
      lines.push(line)
      chars += line.length
      if (chars > partChars) await flush()
    },
    async finish() {
      if (lines.length > 0) await flush()
      return bytes > maxBytes ? undefined : Buffer.concat(parts)
    },
  }
}

/** All origins by path. Undefined if they were written by another release or with another limit. */
export async function readOrigins(bytes: Uint8Array, of: OriginsOf): Promise<Map<string, PageOrigin> | undefined> {
  const origins = new Map<string, PageOrigin>()
  let isFirst = true
  for await (const line of linesOf(bytes)) {
    if (isFirst && line !== JSON.stringify(of)) return undefined
    if (!isFirst) {
      const origin: PageOrigin = JSON.parse(line.slice(0, line.indexOf('\t')))
      origins.set(origin.path, origin)
    }
    isFirst = false
  }
  return origins
}

/** The counts of the pages that `isWanted` chooses, in the order of writing. */
export async function* readCounts(
  bytes: Uint8Array,
  isWanted: (path: string) => boolean,
): AsyncGenerator<{ path: string; counts: PageCounts }> {
  let isFirst = true
  for await (const line of linesOf(bytes)) {
    const end = line.indexOf('\t')
    if (!isFirst && end < line.length - 1) {
      const { path }: PageOrigin = JSON.parse(line.slice(0, end))
      if (isWanted(path)) yield { path, counts: unpacked(JSON.parse(line.slice(end + 1))) }
    }
    isFirst = false
  }
}

async function* linesOf(bytes: Uint8Array): AsyncGenerator<string> {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let at = 0; at < all.length; ) {
    const from = at + 4
    at = from + all.readUInt32LE(at)
    yield* (await decompress(all.subarray(from, at))).toString().split('\n')
  }
}

function lengthOf(part: Buffer): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32LE(part.length)
  return length
}

type Numbers = Uint32Array | Float32Array
const numbers = { Uint32Array, Float32Array }
type Packed = { type: keyof typeof numbers; base64: string }

/** Plain data: JSON has no arrays of bytes. */
const packed = (counts: PageCounts): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(counts).map(([name, value]) => [name, ArrayBuffer.isView(value) ? toText(value as Numbers) : value]),
  )

const unpacked = (plain: Record<string, unknown>): PageCounts =>
  Object.fromEntries(
    Object.entries(plain).map(([name, value]) => [name, isPacked(value) ? toNumbers(value) : value]),
  ) as PageCounts

const toText = (array: Numbers): Packed => ({
  type: array.constructor.name as Packed['type'],
  base64: Buffer.from(array.buffer, array.byteOffset, array.byteLength).toString('base64'),
})

function toNumbers({ type, base64 }: Packed): Numbers {
  const bytes = Uint8Array.from(Buffer.from(base64, 'base64'))
  return new numbers[type](bytes.buffer)
}

const isPacked = (value: unknown): value is Packed => typeof value === 'object' && value !== null && 'base64' in value
