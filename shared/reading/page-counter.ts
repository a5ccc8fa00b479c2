import { fieldNames, type PageCounts } from '../search/statistics/statistics.ts'
import { compoundsOf, proseOnly, readToken } from '../search/words/analyse.ts'
import { addMeaning, meaningOf } from '../search/words/meaning.ts'
import { vocabulary } from '../search/words/vocabulary.ts'

/** A term, with its counts on the last page that contains it. */
type Term = {
  readonly text: string
  /** Its number in the vocabulary, -1 if it is unknown there. */
  readonly number: number
  page: number
  /** The last unit that contains it. */
  unit: number
  units: number
  weight: number
}
/** A word as written, with its counts on the last page that contains it. */
type Word = { readonly text: string; page: number; unit: number; units: number }
/** A compound: `app.onError`. `text` is its terms joined by spaces. */
type Compound = { readonly terms: Term[]; readonly text: string; readonly words: Word[] }

type CountedUnit = {
  /** The terms of all fields, joined by spaces; those of the title twice. */
  terms: string
  /** Number of terms of each field, then of the first paragraph. */
  lengths: number[]
  meaning: Int8Array | undefined
}
/** Counts the terms and words of a page, unit by unit. Only one page is counted at a time. */
type PageCounter = {
  add(unit: { breadcrumb: string[]; prose: string; code: { code: string }[] }): CountedUnit
  total(): Pick<PageCounts, 'terms' | 'termUnits' | 'weights' | 'words' | 'wordUnits' | 'lengths' | 'meaning'>
}

const cacheEntries = 10_000
/** Further terms and words of one page are noise, and adding them blocks the server. */
const maxTerms = 100_000
/** The weight that a term in a field adds to its weight on the page, in the order of `fieldNames`. */
const fieldWeights = [1, 0, 0, 1, 0.5, 0]
const titleWeight = 2
const endOfParagraph = /\n[ \t]*\n/

// Each term holds its own counts, because looking it up at every occurrence costs time.
const knownTerms = new Map<string, Term>()
const knownWords = new Map<string, Word>()
const knownCompounds = new Map<string, Compound>()
let [page, unit] = [0, 0]

export function pageCounter(path: string, title: string): PageCounter {
  // The cache is not emptied within a page, in which each term must stay the same object.
  if (Math.max(knownTerms.size, knownWords.size) > cacheEntries)
    for (const each of [knownTerms, knownWords, knownCompounds]) each.clear()
  page += 1
  const terms: Term[] = []
  const words: Word[] = []
  const lengths = fieldNames.map(() => 0)
  const meaning = new Float32Array(vocabulary().dimensions)
  const headings = new Map<string, Compound[]>()

  const heading = (text: string): Compound[] => {
    const known = headings.get(text) ?? compoundsIn(text)
    headings.set(text, known)
    return known
  }
  const see = (term: Term) => {
    if (term.page === page) return
    term.page = page
    term.units = 0
    term.weight = 0
    terms.push(term)
  }
  const countWords = (compounds: Compound[]) => {
    for (const compound of compounds) {
      for (const word of compound.words) {
        if (word.unit === unit) continue
        word.unit = unit
        if (word.page !== page) {
          word.page = page
          word.units = 0
          words.push(word)
        }
        word.units += 1
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
        see(term)
        term.weight += weight
        if (term.unit !== unit) term.units += 1
        term.unit = unit
      }
    }
    return numbers
  }

  const inPath = compoundsIn(path)
  for (const { terms } of heading(title)) {
    for (const term of terms) {
      see(term)
      term.weight += titleWeight
    }
  }
  return {
    add({ breadcrumb, prose: untrimmed, code }) {
      unit += 1
      const prose = untrimmed.trimStart()
      const end = prose.search(endOfParagraph)
      const lead = compoundsIn(proseOnly(end < 0 ? prose : prose.slice(0, end)))
      const rest = end < 0 ? [] : compoundsIn(proseOnly(prose.slice(end)))
      const inTitle = heading(breadcrumb.at(-1) ?? '')
      const inCrumbs = breadcrumb.slice(1, -1).flatMap(heading)
      const inPage = breadcrumb.length > 1 ? heading(breadcrumb[0] ?? '') : []
      const inCode = code.flatMap((each) => compoundsIn(each.code))
      for (const each of [lead, rest, inTitle, inCrumbs, inPage, inCode]) countWords(each)
      const texts = inTitle.flatMap(({ text }) => (text === '' ? [] : text))
      const fields = [inTitle, inCrumbs, inPage, lead.concat(rest), inCode, inPath].map((each, field) =>
        countTerms(each, fieldWeights[field] as number, texts),
      )
      fields.forEach((field, i) => {
        lengths[i] = (lengths[i] as number) + field.length
      })
      const unitMeaning = meaningOf(fields)
      if (unitMeaning) addMeaning(unitMeaning, meaning)
      const leadLength = lead.reduce((sum, each) => sum + each.terms.length, 0)
      return { terms: texts.join(' '), lengths: [...fields.map((field) => field.length), leadLength], meaning: unitMeaning }
    },
    total() {
      const [keptTerms, keptWords] = [terms.slice(0, maxTerms), words.slice(0, maxTerms)]
      return {
        terms: keptTerms.map(({ text }) => text).join(' '),
        termUnits: Uint32Array.from(keptTerms.map(({ units }) => units)),
        weights: Float32Array.from(keptTerms.map(({ weight }) => weight)),
        words: keptWords.map(({ text }) => text).join(' '),
        wordUnits: Uint32Array.from(keptWords.map(({ units }) => units)),
        lengths,
        meaning,
      }
    },
  }
}

function compoundsIn(text: string): Compound[] {
  const found: Compound[] = []
  for (const raw of compoundsOf(text)) {
    let known = knownCompounds.get(raw)
    if (known === undefined) {
      known = readCompound(raw)
      if (knownCompounds.size >= cacheEntries) knownCompounds.clear()
      knownCompounds.set(raw, known)
    }
    found.push(known)
  }
  return found
}

function readCompound(raw: string): Compound {
  const token = readToken(raw)
  const written = token.words.filter((word) => word.length > 2)
  return {
    terms: token.terms.map(termOf),
    text: token.terms.join(' '),
    words: [...written, ...token.joined].map(wordOf),
  }
}

function termOf(text: string): Term {
  let known = knownTerms.get(text)
  if (known === undefined) {
    known = { text, number: vocabulary().find(text) ?? -1, page: 0, unit: 0, units: 0, weight: 0 }
    knownTerms.set(text, known)
  }
  return known
}

function wordOf(text: string): Word {
  let known = knownWords.get(text)
  if (known === undefined) {
    known = { text, page: 0, unit: 0, units: 0 }
    knownWords.set(text, known)
  }
  return known
}
