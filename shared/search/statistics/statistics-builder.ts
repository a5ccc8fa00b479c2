import { copiesBuilder, type PageSection } from './copies.ts'
import { pageKindByte } from './page-kind.ts'
import { fieldNames, type LibraryCounts, type PageCounts } from './statistics.ts'
import { wordNumbers } from './word-numbers.ts'

/** Entries of a term on a page. With more of them, a library is ranked by its rows only. */
const maxPostings = 4_000_000
/** Further terms and words are ignored, so that a repository of noise does not fill the memory. */
const maxTerms = 1_000_000

/** Sums the counts of pages. Memory grows with the vocabulary and the postings, not with the text. */
export function statisticsBuilder() {
  const terms = wordNumbers(maxTerms)
  const words = wordNumbers(maxTerms)
  let frequencies = new Uint32Array(1024)
  let wordFrequencies = new Uint32Array(1024)
  const postings = { term: new Uint32Array(4096), page: new Uint32Array(4096), weight: new Float32Array(4096), length: 0 }
  const pageLengths: number[] = []
  const pageKinds: number[] = []
  const pageLanguages: (string | undefined)[] = []
  const lengths = fieldNames.map(() => 0)
  const topics = new Map<string, number>()
  let wordVectorSum = new Float32Array()
  const copies = copiesBuilder()
  let chunks = 0

  return {
    /**
     * Adds a page with its sections, and returns its number, which rows carry. A page that is a copy of others is found, but its words are not
     * counted: they would look common.
     */
    add(page: PageCounts, sections: PageSection[] = []): number {
      const number = pageLengths.length
      copies.add(number, sections)
      const isCounted = sections.length === 0 || sections.some(({ hash }) => !copies.isCopy(number, hash))
      let length = 0
      terms.each(page.terms, (i, id) => {
        const weight = page.weights[i] ?? 0
        frequencies = roomFor(frequencies, id)
        if (isCounted) frequencies[id] = (frequencies[id] ?? 0) + (page.termChunks[i] ?? 0)
        length += weight
        if (postings.length >= maxPostings) return
        postings.term = roomFor(postings.term, postings.length)
        postings.page = roomFor(postings.page, postings.length)
        postings.weight = roomFor(postings.weight, postings.length)
        postings.term[postings.length] = id
        postings.page[postings.length] = number
        postings.weight[postings.length] = weight
        postings.length += 1
      })
      pageLengths.push(length)
      pageKinds.push(pageKindByte(page.kind))
      pageLanguages.push(page.docsLanguage)
      if (!isCounted) return number
      words.each(page.words, (i, id) => {
        wordFrequencies = roomFor(wordFrequencies, id)
        wordFrequencies[id] = (wordFrequencies[id] ?? 0) + (page.wordChunks[i] ?? 0)
      })
      page.lengths.forEach((each, field) => {
        lengths[field] = (lengths[field] ?? 0) + each
      })
      for (const topic of page.topics) topics.set(topic, (topics.get(topic) ?? 0) + 1)
      if (page.wordVectorSum && wordVectorSum.length === 0) wordVectorSum = new Float32Array(page.wordVectorSum.length)
      page.wordVectorSum?.forEach((each, i) => {
        wordVectorSum[i] = (wordVectorSum[i] as number) + each
      })
      chunks += page.chunks
      return number
    },

    /** True if a page before `page` has this section. */
    isCopy: copies.isCopy,

    /** The sum so far. The arrays still belong to the builder. */
    total(): LibraryCounts {
      const count = postings.length < maxPostings ? postings.length : 0
      return {
        chunks,
        lengths,
        topics,
        terms: terms.joined(),
        frequencies: frequencies.subarray(0, terms.size),
        words: words.joined(),
        wordFrequencies: wordFrequencies.subarray(0, words.size),
        postings: {
          terms: postings.term.subarray(0, count),
          pages: postings.page.subarray(0, count),
          weights: postings.weight.subarray(0, count),
        },
        pageLengths: Float32Array.from(pageLengths),
        pageKinds: Uint8Array.from(pageKinds),
        wordVectorSum,
        copies: copies.total(),
        ...numberedLanguages(pageLanguages),
      }
    },
  }
}

/** Further languages have no number. */
const maxLanguages = 255

function numberedLanguages(ofPages: (string | undefined)[]): Pick<LibraryCounts, 'docsLanguages' | 'pageLanguages'> {
  const pages = new Map<string, number>()
  for (const language of ofPages) if (language !== undefined) pages.set(language, (pages.get(language) ?? 0) + 1)
  const sorted = [...pages].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).slice(0, maxLanguages)
  const docsLanguages = sorted.map(([language]) => language)
  const numbers = new Map(docsLanguages.map((language, i) => [language, i + 1]))
  const pageLanguages = pages.size === 0 ? [] : ofPages.map((language = '') => numbers.get(language) ?? 0)
  return { docsLanguages, pageLanguages: Uint8Array.from(pageLanguages) }
}

function roomFor<T extends Uint32Array | Float32Array>(array: T, index: number): T {
  if (index < array.length) return array
  const grown = new (array.constructor as new (length: number) => T)(array.length * 2)
  grown.set(array)
  return grown
}
