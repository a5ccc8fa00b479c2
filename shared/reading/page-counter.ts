import { fieldNames, type PageCounts } from '../search/statistics/statistics.ts'
import { compoundsOf, proseOnly, readToken } from '../search/words/analyse.ts'
import { vocabulary } from '../search/words/vocabulary.ts'
import { addWordVector, wordVectorOf } from '../search/words/word-vectors.ts'

/** A term; `number` is its number in the vocabulary, -1 if it is unknown there. */
type Term = { readonly text: string; readonly number: number; readonly index: number }
type Word = { readonly text: string; readonly index: number }
/** A compound: `app.onError`. `text` is its terms joined by spaces; `words` are its words as written. */
type Compound = { readonly terms: Term[]; readonly text: string; readonly words: Word[] }
/** The counts of a term or word on a page. `chunk` is the last chunk that contains it. */
type Counts = { readonly text: string; chunk: number; chunks: number; weight: number }

type CountedChunk = {
  /** The terms of all fields, joined by spaces; those of the title twice. */
  terms: string
  /** Number of terms of each field, then of the first paragraph. */
  lengths: number[]
  wordVector: Int8Array | undefined
}
/** Counts the terms and words of a page, chunk by chunk. */
type PageCounter = {
  add(chunk: { breadcrumb: string[]; prose: string; code: { code: string }[] }): CountedChunk
  total(): Pick<PageCounts, 'terms' | 'termChunks' | 'weights' | 'words' | 'wordChunks' | 'lengths' | 'wordVectorSum'>
}

const cacheEntries = 10_000
/** Further terms and words of one page are noise, and adding them blocks the server. */
const maxTerms = 100_000
/** The weight that a term in a field adds to its weight on the page, in the order of `fieldNames`. */
const fieldWeights = [1, 0, 0, 1, 0.5, 0]
const titleWeight = 2

/** The terms, words and compounds that were read before. A page keeps those that it began with, in which each has one index. */
type Known = { terms: Map<string, Term>; words: Map<string, Word>; compounds: Map<string, Compound> }
const nothingKnown = (): Known => ({ terms: new Map(), words: new Map(), compounds: new Map() })
let lastKnown = nothingKnown()

export function pageCounter(path: string, title: string): PageCounter {
  if (Math.max(lastKnown.terms.size, lastKnown.words.size) > cacheEntries) lastKnown = nothingKnown()
  const cached = lastKnown
  const terms = counted(cached.terms.size)
  const words = counted(cached.words.size)
  let chunk = 0
  const lengths = fieldNames.map(() => 0)
  const wordVectorSum = new Float32Array(vocabulary().dimensions)
  const headings = new Map<string, Compound[]>()

  const heading = (text: string): Compound[] => {
    const inHeading = headings.get(text) ?? compoundsIn(cached, text)
    headings.set(text, inHeading)
    return inHeading
  }
  const countWords = (compounds: Compound[]) => {
    for (const compound of compounds) {
      for (const word of compound.words) {
        const counts = words.of(word)
        if (counts.chunk !== chunk) counts.chunks += 1
        counts.chunk = chunk
      }
    }
  }
  /** Returns the numbers of its terms in the vocabulary. */
  const countTerms = (compounds: Compound[], weight: number, texts: string[]): number[] => {
    const numbers: number[] = []
    for (const compound of compounds) {
      if (compound.text !== '') texts.push(compound.text)
      for (const term of compound.terms) {
        numbers.push(term.number)
        const counts = terms.of(term)
        counts.weight += weight
        if (counts.chunk !== chunk) counts.chunks += 1
        counts.chunk = chunk
      }
    }
    return numbers
  }

  const inPath = compoundsIn(cached, path)
  for (const compound of heading(title)) for (const term of compound.terms) terms.of(term).weight += titleWeight
  return {
    add({ breadcrumb, prose, code }) {
      chunk += 1
      const inProse = compoundsIn(cached, proseOnly(prose))
      const inTitle = heading(breadcrumb.at(-1) ?? '')
      const inCrumbs = breadcrumb.slice(1, -1).flatMap(heading)
      const inPage = breadcrumb.length > 1 ? heading(breadcrumb[0] ?? '') : []
      const inCode = code.flatMap((each) => compoundsIn(cached, each.code))
      for (const each of [inProse, inTitle, inCrumbs, inPage, inCode]) countWords(each)
      const texts = inTitle.flatMap(({ text }) => (text === '' ? [] : text))
      const fields = [inTitle, inCrumbs, inPage, inProse, inCode, inPath].map((each, field) =>
        countTerms(each, fieldWeights[field] as number, texts),
      )
      fields.forEach((field, i) => {
        lengths[i] = (lengths[i] as number) + field.length
      })
      const wordVector = wordVectorOf(fields)
      if (wordVector) addWordVector(wordVector, wordVectorSum)
      return { terms: texts.join(' '), lengths: fields.map((field) => field.length), wordVector }
    },
    total() {
      const [keptTerms, keptWords] = [terms.list.slice(0, maxTerms), words.list.slice(0, maxTerms)]
      return {
        terms: keptTerms.map(({ text }) => text).join(' '),
        termChunks: Uint32Array.from(keptTerms, ({ chunks }) => chunks),
        weights: Float32Array.from(keptTerms, ({ weight }) => weight),
        words: keptWords.map(({ text }) => text).join(' '),
        wordChunks: Uint32Array.from(keptWords, ({ chunks }) => chunks),
        lengths,
        wordVectorSum,
      }
    },
  }
}

/** The counts of each term or word, in the order in which they were seen. */
function counted(size: number) {
  const list: Counts[] = []
  const byIndex = new Array<Counts | undefined>(size)
  return {
    list,
    of({ text, index }: Word): Counts {
      let own = byIndex[index]
      if (own === undefined) {
        own = { text, chunk: 0, chunks: 0, weight: 0 }
        byIndex[index] = own
        list.push(own)
      }
      return own
    },
  }
}

function compoundsIn(cached: Known, text: string): Compound[] {
  const compounds: Compound[] = []
  for (const raw of compoundsOf(text)) {
    let compound = cached.compounds.get(raw)
    if (compound === undefined) {
      compound = readCompound(cached, raw)
      if (cached.compounds.size >= cacheEntries) cached.compounds.clear()
      cached.compounds.set(raw, compound)
    }
    compounds.push(compound)
  }
  return compounds
}

function readCompound(cached: Known, raw: string): Compound {
  const token = readToken(raw)
  const written = token.words.filter((word) => word.length > 2)
  return {
    terms: token.terms.map((text) => termOf(cached, text)),
    text: token.terms.join(' '),
    words: [...written, ...token.joined].map((text) => wordOf(cached, text)),
  }
}

function termOf({ terms }: Known, text: string): Term {
  const term = terms.get(text) ?? { text, number: vocabulary().find(text) ?? -1, index: terms.size }
  terms.set(text, term)
  return term
}

function wordOf({ words }: Known, text: string): Word {
  const word = words.get(text) ?? { text, index: words.size }
  words.set(text, word)
  return word
}
