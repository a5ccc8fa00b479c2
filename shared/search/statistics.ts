import type { PageKind } from './page-kind.ts'
import { inByteOrder, packWords, wordList } from './word-list.ts'

/** The word statistics of one generation, which ranking needs in addition to the rows. */
export type LibraryStatistics = {
  /** Number of units. */
  units: number
  pages: number
  /** Mean number of terms of a unit, by field, in the order of `fieldNames`. */
  averageLengths: number[]
  averagePageLength: number
  /** The most frequent topics, most frequent first. */
  topics: string[]
  /** Number of units that contain a term. */
  documentFrequency(term: string): number
  /** Number of units that contain a word as written, not stemmed. */
  wordFrequency(word: string): number
  /** Words as written with the first letter of `word` that may be within `edits` edits: a small superset of those that are. */
  wordsLike(word: string, edits: number): string[]
  /** The pages that contain a term, with its weight there (the page title counts twice, code half). Undefined if pages are not stored. */
  pagesWith(term: string): { pages: Uint32Array; weights: Float32Array } | undefined
  pageLength(page: number): number
  /** Undefined in statistics of format 1, which lack it. */
  pageKind(page: number): PageKind | undefined
  /** The mean of what the units mean. Undefined in statistics of format 3 and before, which lack it. */
  meaning: Float32Array | undefined
  sizeBytes: number
}

/** The order of a row's fields. */
export const fieldNames = ['title', 'crumbs', 'page', 'prose', 'code', 'path'] as const

/** The counts of one page, as columns that are cheap to pass between threads. */
export type PageCounts = {
  /** The terms of the page, joined by spaces, with the number of units that contain each, and its weight on the page. */
  terms: string
  termUnits: Uint32Array
  weights: Float32Array
  /** Words as written, joined by spaces, with the number of units that contain each. */
  words: string
  wordUnits: Uint32Array
  /** Total number of terms by field. */
  lengths: number[]
  kind: PageKind
  units: number
  topics: string[]
  /** The sum of what its units mean, each at length 1. */
  meaning?: Float32Array
}

/** The summed counts of the pages of a library, as plain data that can be passed to another thread. */
export type LibraryCounts = {
  units: number
  lengths: number[]
  topics: Map<string, number>
  /** Joined by spaces. The number of a term is its position. */
  terms: string
  frequencies: Uint32Array
  words: string
  wordFrequencies: Uint32Array
  /** The weight of each term on each page. Empty if there are too many. */
  postings: { terms: Uint32Array; pages: Uint32Array; weights: Float32Array }
  pageLengths: Float32Array
  /** A byte per page. */
  pageKinds: Uint8Array
  meaning: Float32Array
}

type Header = { units: number; averageLengths: number[]; topics: string[]; sections: number[] }

/** Entries of a term on a page. With more of them, a library is ranked by its rows only. */
const maxPostings = 4_000_000
/** Further terms and words are ignored, so that a repository of noise does not fill the memory. */
const maxTerms = 1_000_000

/** Sums the counts of pages. Memory grows with the vocabulary and the postings, not with the text. */
export function statisticsBuilder() {
  const terms = new Map<string, number>()
  const words = new Map<string, number>()
  let frequencies = new Uint32Array(1024)
  let wordFrequencies = new Uint32Array(1024)
  let postings = { term: new Uint32Array(4096), page: new Uint32Array(4096), weight: new Float32Array(4096), length: 0 }
  const pageLengths: number[] = []
  const pageKinds: number[] = []
  const lengths = fieldNames.map(() => 0)
  const topics = new Map<string, number>()
  let meaning = new Float32Array()
  let units = 0

  return {
    /** Adds a page and returns its number, which rows carry. */
    add(page: PageCounts): number {
      const number = pageLengths.length
      let length = 0
      for (const [i, term] of column(page.terms).entries()) {
        const id = idOf(terms, term)
        if (id === undefined) continue
        const weight = page.weights[i] ?? 0
        frequencies = roomFor(frequencies, id)
        frequencies[id] = (frequencies[id] ?? 0) + (page.termUnits[i] ?? 0)
        length += weight
        if (postings.length >= maxPostings) continue
        postings = {
          term: roomFor(postings.term, postings.length),
          page: roomFor(postings.page, postings.length),
          weight: roomFor(postings.weight, postings.length),
          length: postings.length,
        }
        postings.term[postings.length] = id
        postings.page[postings.length] = number
        postings.weight[postings.length] = weight
        postings.length += 1
      }
      for (const [i, each] of column(page.words).entries()) {
        const id = idOf(words, each)
        if (id === undefined) continue
        wordFrequencies = roomFor(wordFrequencies, id)
        wordFrequencies[id] = (wordFrequencies[id] ?? 0) + (page.wordUnits[i] ?? 0)
      }
      page.lengths.forEach((each, field) => {
        lengths[field] = (lengths[field] ?? 0) + each
      })
      for (const topic of page.topics) topics.set(topic, (topics.get(topic) ?? 0) + 1)
      pageLengths.push(length)
      pageKinds.push(byteOf(page.kind))
      if (page.meaning && meaning.length === 0) meaning = new Float32Array(page.meaning.length)
      page.meaning?.forEach((each, i) => {
        meaning[i] = (meaning[i] as number) + each
      })
      units += page.units
      return number
    },

    /** The sum so far. The arrays still belong to the builder. */
    total(): LibraryCounts {
      const count = postings.length < maxPostings ? postings.length : 0
      return {
        units,
        lengths,
        topics,
        terms: [...terms.keys()].join(' '),
        frequencies: frequencies.subarray(0, terms.size),
        words: [...words.keys()].join(' '),
        wordFrequencies: wordFrequencies.subarray(0, words.size),
        postings: {
          terms: postings.term.subarray(0, count),
          pages: postings.page.subarray(0, count),
          weights: postings.weight.subarray(0, count),
        },
        pageLengths: Float32Array.from(pageLengths),
        pageKinds: Uint8Array.from(pageKinds),
        meaning,
      }
    },
  }
}

/** The statistics as bytes for `readStatistics`. Takes seconds for a million terms, mostly for sorting. */
export function packStatistics({ units, lengths, topics, postings, ...counts }: LibraryCounts): Buffer {
  const [terms, words] = [sorted(counts.terms), sorted(counts.words)]
  const rank = new Uint32Array(terms.order.length)
  terms.order.forEach((id, at) => {
    rank[id] = at
  })
  const header = {
    units,
    averageLengths: lengths.map((each) => each / Math.max(1, units)),
    topics: [...topics]
      .sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
      .slice(0, 20)
      .map(([topic]) => topic),
  }
  return pack(header, [
    ...packWords(terms.words),
    terms.order.map((id) => counts.frequencies[id] as number),
    ...byTerm(postings, rank),
    ...packWords(words.words),
    words.order.map((id) => counts.wordFrequencies[id] as number),
    counts.pageLengths,
    counts.pageKinds,
    counts.meaning.map((each) => each / Math.max(1, units)),
  ])
}

function byTerm(postings: LibraryCounts['postings'], rank: Uint32Array): [Uint32Array, Uint32Array, Float32Array] {
  const starts = new Uint32Array(rank.length + 1)
  for (const term of postings.terms) {
    const at = (rank[term] as number) + 1
    starts[at] = (starts[at] as number) + 1
  }
  for (let i = 1; i < starts.length; i++) starts[i] = (starts[i] as number) + (starts[i - 1] as number)
  const next = starts.slice()
  const pages = new Uint32Array(postings.terms.length)
  const weights = new Float32Array(postings.terms.length)
  postings.terms.forEach((term, i) => {
    const place = rank[term] as number
    const at = next[place] as number
    next[place] = at + 1
    pages[at] = postings.pages[i] as number
    weights[at] = postings.weights[i] as number
  })
  return [starts, pages, weights]
}

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
  const meaning = float32(next())
  const totalLength = pageLengths.reduce((sum, each) => sum + each, 0)
  return {
    units: header.units,
    pages: pageLengths.length,
    averageLengths: header.averageLengths,
    averagePageLength: totalLength / Math.max(1, pageLengths.length),
    topics: header.topics,
    documentFrequency: (term) => termCounts[terms.find(term)] ?? 0,
    wordFrequency: (each) => wordCounts[words.find(each)] ?? 0,
    wordsLike: (each, edits) => words.similar(each, each.length - edits, each.length + edits, 2 * edits),
    pagesWith(term) {
      if (pageNumbers.length === 0) return undefined
      const at = terms.find(term)
      if (at < 0) return { pages: new Uint32Array(), weights: new Float32Array() }
      return { pages: pageNumbers.subarray(first[at], first[at + 1]), weights: pageWeights.subarray(first[at], first[at + 1]) }
    },
    pageLength: (page) => pageLengths[page] ?? 0,
    pageKind: (page) => kindOf(pageKinds[page]),
    meaning: meaning.length > 0 ? meaning : undefined,
    sizeBytes: buffer.length,
  }
}

const kinds = ['guide', 'change', 'source'] as const

const byteOf = (kind: PageKind) => kinds.reduce((byte, each, bit) => byte | (kind[each] ? 1 << bit : 0), 0)

function kindOf(byte: number | undefined): PageKind | undefined {
  if (byte === undefined) return undefined
  return { guide: (byte & 1) > 0, change: (byte & 2) > 0, source: (byte & 4) > 0 }
}

/** The words in byte order, with the previous position of each. */
function sorted(joined: string): { words: string[]; order: Uint32Array } {
  const given = column(joined)
  const places = new Map(given.map((each, at) => [each, at]))
  const words = inByteOrder(given)
  return { words, order: Uint32Array.from(words, (each) => places.get(each) as number) }
}

const column = (joined: string): string[] => (joined === '' ? [] : joined.split(' '))

function idOf(ids: Map<string, number>, key: string): number | undefined {
  let id = ids.get(key)
  if (id === undefined && ids.size < maxTerms) {
    id = ids.size
    ids.set(key, id)
  }
  return id
}

function roomFor<T extends Uint32Array | Float32Array>(array: T, index: number): T {
  if (index < array.length) return array
  const grown = new (array.constructor as new (length: number) => T)(array.length * 2)
  grown.set(array)
  return grown
}

const align = (offset: number) => (offset + 7) & ~7

function pack(header: Omit<Header, 'sections'>, arrays: (Uint8Array | Uint32Array | Float32Array)[]): Buffer {
  const head = Buffer.from(JSON.stringify({ ...header, sections: arrays.map((each) => each.byteLength) }))
  const parts: Buffer[] = [Buffer.alloc(4), head, Buffer.alloc(align(4 + head.length) - 4 - head.length)]
  parts[0]?.writeUInt32LE(head.length)
  for (const array of arrays) {
    parts.push(
      Buffer.from(array.buffer, array.byteOffset, array.byteLength),
      Buffer.alloc(align(array.byteLength) - array.byteLength),
    )
  }
  return Buffer.concat(parts)
}

function aligned(bytes: Uint8Array): Buffer<ArrayBuffer> {
  const copy = Buffer.from(new ArrayBuffer(bytes.byteLength))
  copy.set(bytes)
  return copy
}

const uint32 = (bytes: Buffer<ArrayBuffer>) => new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4)
const float32 = (bytes: Buffer<ArrayBuffer>) => new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4)
