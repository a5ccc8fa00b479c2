import { stem } from '../words/analyse.ts'
import { type Copies, copiesReader } from './copies.ts'
import { type PageKind, pageKindOf } from './page-kind.ts'
import { wordList } from './word-list.ts'

/** The word statistics of one generation, which ranking needs in addition to the rows. */
export type LibraryStatistics = {
  /** Number of chunks. */
  chunks: number
  pages: number
  /** Mean number of terms of a chunk, by field, in the order of `fieldNames`. */
  averageLengths: number[]
  averagePageLength: number
  /** The most frequent topics, most frequent first. */
  topics: string[]
  /** Number of chunks that contain a term. */
  documentFrequency(term: string): number
  /** Number of chunks that contain a word as written, not stemmed. */
  wordFrequency(word: string): number
  /** Words as written with the first letter of `word` that may be within `edits` edits: a small superset of those that are. */
  wordsLike(word: string, edits: number): string[]
  /** The most frequent word as written that has this stem. Undefined if there is none. */
  wordOf(stem: string): string | undefined
  /** The pages that contain a term, with its weight there (the page title counts twice, code half). Undefined if pages are not stored. */
  pagesWith(term: string): { pages: Uint32Array; weights: Float32Array } | undefined
  pageLength(page: number): number
  pageKind(page: number): PageKind
  /** The languages of the documentation, those of most pages first; empty if it has one. */
  docsLanguages: string[]
  docsLanguageOf(page: number): string | undefined
  /** The mean of the word vectors of the chunks, each at length 1. Undefined if none has a known word. */
  meanWordVector: Float32Array | undefined
  /** The addresses of other pages than `page` that have a section with this hash, at most ten. */
  copiesOf(hash: string, page: number): string[]
  sizeBytes: number
}

/** The order of a row's fields. */
export const fieldNames = ['title', 'crumbs', 'page', 'prose', 'code', 'path'] as const

/** The counts of one page, as columns that are cheap to pass between threads. */
export type PageCounts = {
  /** The terms of the page, joined by spaces, with the number of chunks that contain each, and its weight on the page. */
  terms: string
  termChunks: Uint32Array
  weights: Float32Array
  /** Words as written, joined by spaces, with the number of chunks that contain each. */
  words: string
  wordChunks: Uint32Array
  /** Total number of terms by field. */
  lengths: number[]
  kind: PageKind
  /** Absent if the documentation has one language. */
  docsLanguage?: string | undefined
  chunks: number
  topics: string[]
  /** The sum of the word vectors of its chunks, each at length 1. */
  wordVectorSum?: Float32Array
}

/** The summed counts of the pages of a library, as plain data that can be passed to another thread. */
export type LibraryCounts = {
  chunks: number
  lengths: number[]
  topics: Map<string, number>
  /** All terms, joined by spaces. The number of a term is its position. */
  terms: string
  frequencies: Uint32Array
  words: string
  wordFrequencies: Uint32Array
  /** The weight of each term on each page. Empty if there are too many. */
  postings: { terms: Uint32Array; pages: Uint32Array; weights: Float32Array }
  pageLengths: Float32Array
  /** A byte per page. */
  pageKinds: Uint8Array
  wordVectorSum: Float32Array
  copies: Copies
  docsLanguages: string[]
  /** One more than the index in `docsLanguages` for each page, 0 for none. Empty if there are no languages. */
  pageLanguages: Uint8Array
}

/** `sections` are the lengths of the arrays after the header, in bytes. */
export type Header = {
  chunks: number
  averageLengths: number[]
  topics: string[]
  /** The addresses of pages that share sections. Absent in the first format. */
  addresses?: Copies['addresses']
  /** Absent if the documentation has one language. */
  docsLanguages?: string[]
  sections: number[]
}

/** A stem may end with another letter than its words: `easi` for `easy`. */
const minStart = 2

/** Reads the output of `packStatistics`. Copies the bytes once; lookups search in the copy. */
export function readStatistics(bytes: Uint8Array): LibraryStatistics {
  const buffer = aligned(bytes)
  const headerLength = buffer.readUInt32LE(0)
  const header = JSON.parse(buffer.toString('utf8', 4, 4 + headerLength)) as Header
  let offset = align(4 + headerLength)
  const sections = header.sections.values()
  const next = () => {
    const from = offset
    const length = sections.next().value ?? 0
    offset = align(from + length)
    return buffer.subarray(from, from + length)
  }
  const terms = wordList(next(), uint32(next()))
  const termCounts = uint32(next())
  const first = uint32(next())
  const pageNumbers = uint32(next())
  const pageWeights = float32(next())
  const words = wordList(next(), uint32(next()))
  const wordCounts = uint32(next())
  const pageLengths = float32(next())
  const pageKinds = next()
  const meanWordVector = float32(next())
  const marks = float64(next())
  const copies = { marks, starts: uint32(next()), places: float64(next()), addresses: header.addresses ?? [] }
  const pageLanguages = next()
  const { docsLanguages = [] } = header
  const frequencyOf = (each: string) => wordCounts[words.find(each)] ?? 0
  const totalLength = pageLengths.reduce((sum, each) => sum + each, 0)
  return {
    chunks: header.chunks,
    pages: pageLengths.length,
    averageLengths: header.averageLengths,
    averagePageLength: totalLength / Math.max(1, pageLengths.length),
    topics: header.topics,
    documentFrequency: (term) => termCounts[terms.find(term)] ?? 0,
    wordFrequency: frequencyOf,
    wordOf(term) {
      const forms = words.startingWith(term.slice(0, Math.max(minStart, term.length - 1))).filter((each) => stem(each) === term)
      return forms.sort((a, b) => frequencyOf(b) - frequencyOf(a))[0]
    },
    wordsLike: (each, edits) => words.similar(each, each.length - edits, each.length + edits, 2 * edits),
    pagesWith(term) {
      if (pageNumbers.length === 0) return undefined
      const at = terms.find(term)
      if (at < 0) return { pages: new Uint32Array(), weights: new Float32Array() }
      return { pages: pageNumbers.subarray(first[at], first[at + 1]), weights: pageWeights.subarray(first[at], first[at + 1]) }
    },
    pageLength: (page) => pageLengths[page] ?? 0,
    docsLanguages,
    docsLanguageOf: (page) => docsLanguages[(pageLanguages[page] ?? 0) - 1],
    pageKind: (page) => pageKindOf(pageKinds[page] ?? 0),
    meanWordVector: meanWordVector.length > 0 ? meanWordVector : undefined,
    copiesOf: copiesReader(copies),
    sizeBytes: buffer.length,
  }
}

function aligned(bytes: Uint8Array): Buffer<ArrayBuffer> {
  const copy = Buffer.from(new ArrayBuffer(bytes.byteLength))
  copy.set(bytes)
  return copy
}

const uint32 = (bytes: Buffer<ArrayBuffer>) => new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4)
const float32 = (bytes: Buffer<ArrayBuffer>) => new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4)

const float64 = (bytes: Buffer<ArrayBuffer>) => new Float64Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 8)

/** The start of the next section after a section that ends at `offset`. */
export const align = (offset: number) => (offset + 7) & ~7
