import type { PageCounts } from '../search/statistics/statistics.ts'
import { proseOnly } from '../search/words/analyse.ts'
import { addNumber, type NumberList, numberList } from '../search/words/number-list.ts'
import { vocabulary } from '../search/words/vocabulary.ts'
import { addWordVector, wordVectorOf } from '../search/words/word-vectors.ts'
import { type KnownWords, knownWords } from './known-words.ts'
import { type Occurrences, occurrences } from './occurrences.ts'

export type SearchedChunk = { breadcrumb: string[]; prose: string; code: { code: string }[] }

export type CountedChunk = {
  /** The terms of all fields, joined by spaces; those of the title twice. */
  terms: string
  /** Number of terms of each field, in the order of `fieldNames`. */
  lengths: number[]
  wordVector: Int8Array | undefined
}

export type CountedPage = {
  chunks: CountedChunk[]
  counts: Pick<PageCounts, 'terms' | 'termChunks' | 'weights' | 'words' | 'wordChunks' | 'lengths' | 'wordVectorSum'>
}

/** Further terms and words of one page are noise, and adding them blocks the server. */
const maxTerms = 100_000
/** The weight that a term in a field adds to its weight on the page, in the order of `fieldNames`. */
const fieldWeights = [1, 0, 0, 1, 0.5, 0]
const titleWeight = 2
/** The chunk of an occurrence in the title of the page. */
const noChunk = -1

/** The words of the pages before, and memory that is used again for each page. */
type Counter = {
  known: KnownWords
  terms: Occurrences
  words: Occurrences
  prose: NumberList
  code: NumberList
  /** The numbers of the terms of a chunk in the vocabulary. */
  inVocabulary: NumberList
  text: { bytes: Buffer; length: number }
}
/** The compounds of each field of a chunk, in the order of `fieldNames`. */
type Fields = readonly NumberList[][]

let lastCounter: Counter | undefined

const newCounter = (): Counter => ({
  ...{ known: knownWords(), terms: occurrences(), words: occurrences() },
  ...{ prose: numberList(), code: numberList(), inVocabulary: numberList() },
  text: { bytes: Buffer.alloc(64 * 1024), length: 0 },
})

/** Counts the terms and words of a page, chunk by chunk. */
export function countPage(path: string, title: string, chunks: readonly SearchedChunk[]): CountedPage {
  if (!lastCounter || lastCounter.known.isFull()) lastCounter = newCounter()
  const counter = lastCounter
  const wordVectorSum = new Float32Array(vocabulary().dimensions)
  const headings = new Map<string, NumberList>()
  const heading = (text: string): NumberList => {
    const inHeading = headings.get(text) ?? compoundsOf(counter, text)
    headings.set(text, inHeading)
    return inHeading
  }
  const inPath = [compoundsOf(counter, path)]
  addTerms(counter, heading(title), noChunk, titleWeight)
  const counted = chunks.map(({ breadcrumb, prose, code }, i) => {
    const codes = code.map((each) => each.code)
    const fields = [
      [heading(breadcrumb.at(-1) ?? '')],
      breadcrumb.slice(1, -1).map(heading),
      breadcrumb.length > 1 ? [heading(breadcrumb[0] ?? '')] : [],
      [read(counter, counter.prose, [proseOnly(prose)])],
      [read(counter, counter.code, codes)],
      inPath,
    ]
    countWords(counter, fields, i + 1)
    const chunk = countTerms(counter, fields, i + 1)
    if (chunk.wordVector) addWordVector(chunk.wordVector, wordVectorSum)
    return chunk
  })
  return { chunks: counted, counts: { ...total(counter, counted), wordVectorSum } }
}

const compoundsOf = (counter: Counter, text: string): NumberList => read(counter, numberList(), [text])

function read({ known }: Counter, compounds: NumberList, texts: string[]): NumberList {
  compounds.length = 0
  for (const text of texts) known.readCompounds(text, compounds)
  return compounds
}

/** In the order of reading: the prose first. The words of the path are not counted. */
function countWords({ known, words }: Counter, [title, crumbs, page, prose, code]: Fields, chunk: number): void {
  const { all, starts } = known.wordsOf
  for (const field of [prose, title, crumbs, page, code])
    for (const compounds of field ?? [])
      for (let i = 0; i < compounds.length; i++) {
        const compound = compounds.numbers[i] as number
        const to = starts.numbers[compound + 1] as number
        for (let at = starts.numbers[compound] as number; at < to; at++) words.add(all.numbers[at] as number, chunk, 0)
      }
}

function countTerms(counter: Counter, fields: Fields, chunk: number): CountedChunk {
  const { inVocabulary, text } = counter
  inVocabulary.length = 0
  text.length = 0
  for (const compounds of fields[0] ?? []) addText(counter, compounds)
  const ends = fields.map((field, i) => {
    for (const compounds of field) {
      addText(counter, compounds)
      addTerms(counter, compounds, chunk, fieldWeights[i] as number)
    }
    return inVocabulary.length
  })
  const ofFields = ends.map((end, i) => inVocabulary.numbers.subarray(ends[i - 1] ?? 0, end))
  return {
    terms: text.bytes.toString('utf8', 0, Math.max(0, text.length - 1)),
    lengths: ofFields.map(({ length }) => length),
    wordVector: wordVectorOf(ofFields),
  }
}

function addTerms({ known, terms, inVocabulary }: Counter, compounds: NumberList, chunk: number, weight: number): void {
  const { all, starts } = known.termsOf
  for (let i = 0; i < compounds.length; i++) {
    const compound = compounds.numbers[i] as number
    const to = starts.numbers[compound + 1] as number
    for (let at = starts.numbers[compound] as number; at < to; at++) {
      const term = all.numbers[at] as number
      terms.add(term, chunk, weight)
      addNumber(inVocabulary, known.inVocabulary.numbers[term] as number)
    }
  }
}

/** Appends the terms of compounds to the text of a chunk. */
function addText({ known, text }: Counter, compounds: NumberList): void {
  const { starts, bytes: source } = known.textOf
  for (let i = 0; i < compounds.length; i++) {
    const compound = compounds.numbers[i] as number
    const [from, to] = [starts.numbers[compound] as number, starts.numbers[compound + 1] as number]
    const needed = text.length + to - from
    if (needed > text.bytes.length) text.bytes = Buffer.concat([text.bytes, Buffer.alloc(needed)])
    for (let at = from; at < to; at++) text.bytes[text.length + at - from] = source[at] as number
    text.length = needed
  }
}

function total({ known, terms, words }: Counter, chunks: CountedChunk[]): Omit<CountedPage['counts'], 'wordVectorSum'> {
  const [ofTerms, ofWords] = [terms.take(maxTerms), words.take(maxTerms)]
  return {
    terms: joined(known.terms.texts, ofTerms.numbers),
    termChunks: ofTerms.chunks,
    weights: ofTerms.weights,
    words: joined(known.words.texts, ofWords.numbers),
    wordChunks: ofWords.chunks,
    lengths: fieldWeights.map((_, field) => chunks.reduce((sum, { lengths }) => sum + (lengths[field] as number), 0)),
  }
}

function joined(texts: string[], numbers: Int32Array): string {
  const chosen: string[] = []
  for (let i = 0; i < numbers.length; i++) chosen.push(texts[numbers[i] as number] as string)
  return chosen.join(' ')
}
