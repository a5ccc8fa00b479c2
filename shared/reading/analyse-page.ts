import { analyse, proseOnly } from '../search/analyse.ts'
import { addMeaning, meaningOf } from '../search/meaning.ts'
import { pageKind } from '../search/page-kind.ts'
import type { SnippetRow } from '../search/snippet-store.ts'
import { fieldNames, type PageCounts } from '../search/statistics.ts'
import { vocabulary } from '../search/vocabulary.ts'
import { areNearDuplicates, pairSample, wordPairs } from '../search/word-pairs.ts'
import { type Snippet, snippetHash } from '../snippet.ts'
import { countTokens } from '../text/count-tokens.ts'
import { pageTopics } from '../text/page-topics.ts'
import type { Unit } from './chunk.ts'
import { type Enrichments, type MissingText, missingText, withEnrichments } from './missing-text.ts'

/** A row without the number of its page. */
export type AnalysedUnit = Omit<SnippetRow, 'page' | 'id'>
export type AnalysedPage = {
  units: AnalysedUnit[]
  counts: PageCounts
  /** Of the units that are not enriched. */
  missing: MissingText[]
}

type AnalyseOptions = {
  /** False if the page gives no title, so that it was derived from the file name. */
  isTitled?: boolean
  enrichments?: Enrichments | undefined
}

/** Pages with more units are compared by hash only: the cost of finding similar units grows with the square of their number. */
const maxCompared = 400
/** Code further away is that of another subject. */
const maxRowsToCode = 8
const endOfParagraph = /\n[ \t]*\n/
/** Further terms and words of one page are noise. Adding this many takes the server about 50 ms. */
const maxTerms = 100_000

/** How much a term in a field adds to its weight on the page, in the order of `fieldNames`. */
const fieldWeights = [1, 0, 0, 1, 0.5, 0]

/** A snippet of a page before analysis. */
export type PageSnippet = Omit<Snippet, 'id'> & {
  section: number
  /** Its text without code. */
  prose: string
}

/** Turns the units of a page into rows and counts for the library's statistics. Drops near-duplicates without code of their own. */
export function analysePage(
  units: Unit[],
  path: string,
  urlOf: (line: number) => string,
  { isTitled = true, enrichments }: AnalyseOptions = {},
): AnalysedPage {
  const own = withoutNearDuplicates(units)
  const kept = own.map((unit) => withEnrichments(unit, enrichments))
  const snippets = kept.map((unit) => ({ ...snippetOf(unit, path, urlOf), prose: unit.prose, section: unit.section }))
  const missing = own.flatMap((unit, i) => (unit === kept[i] ? (missingText(unit, isTitled) ?? []) : []))
  return { ...analyseSnippets(snippets, path), missing }
}

/** Turns the snippets of a page into rows and counts for the library's statistics. */
export function analyseSnippets(snippets: PageSnippet[], path: string): Omit<AnalysedPage, 'missing'> {
  const terms = new Map<string, TermCount>()
  const words = new Map<string, number>()
  const lengths = fieldNames.map(() => 0)
  const meaning = new Float32Array(vocabulary().dimensions)
  const pathTerms = analyse(path)
  const pageTitle = snippets[0]?.breadcrumb[0] ?? ''
  for (const term of analyse(pageTitle)) countOf(terms, term).weight += 2
  const rows = snippets.map(({ prose, section, ...snippet }, unit) => {
    const toCode = rowsToCode(snippets, unit)
    const written = new Set<string>()
    const { fields, lead } = fieldsOf({ ...snippet, prose }, pathTerms, written)
    fields.forEach((field, i) => {
      lengths[i] = (lengths[i] ?? 0) + field.length
      for (const term of field) {
        const count = countOf(terms, term)
        count.weight += fieldWeights[i] ?? 0
        if (count.lastUnit !== unit) count.units += 1
        count.lastUnit = unit
      }
    })
    for (const word of written) words.set(word, (words.get(word) ?? 0) + 1)
    const unitMeaning = meaningOf(fields)
    if (unitMeaning) addMeaning(unitMeaning, meaning)
    return {
      ...snippet,
      terms: joinFields([fields[0], ...fields]),
      lengths: [...fields.map((each) => each.length), lead],
      ...(unitMeaning && { meaning: unitMeaning }),
      ...(toCode !== 0 && { toCode }),
      section,
    }
  })
  const [keptTerms, keptWords] = [[...terms].slice(0, maxTerms), [...words].slice(0, maxTerms)]
  return {
    units: rows,
    counts: {
      terms: keptTerms.map(([term]) => term).join(' '),
      termUnits: Uint32Array.from(keptTerms, ([, { units }]) => units),
      weights: Float32Array.from(keptTerms, ([, { weight }]) => weight),
      words: keptWords.map(([word]) => word).join(' '),
      wordUnits: Uint32Array.from(keptWords, ([, units]) => units),
      lengths,
      kind: pageKind(path),
      units: rows.length,
      topics: rows.flatMap((row) => pageTopics(row.breadcrumb)),
      meaning,
    },
  }
}

type TermCount = { units: number; weight: number; lastUnit: number }

/** From a window without code to the nearest window of its section that has code, the following first. 0 if there is none. */
function rowsToCode(snippets: PageSnippet[], place: number): number {
  const { code, section } = snippets[place] as PageSnippet
  if (code.length > 0) return 0
  const isIn = (at: number) => snippets[at]?.section === section
  for (let step = 1; step <= maxRowsToCode && (isIn(place + step) || isIn(place - step)); step++)
    for (const way of [step, -step]) if (isIn(place + way) && snippets[place + way]?.code.length) return way
  return 0
}

type Fields = [title: string[], crumbs: string[], page: string[], prose: string[], code: string[], path: string[]]

/** `lead` is the number of terms of the first paragraph, which the prose begins with. */
function fieldsOf(
  unit: Pick<PageSnippet, 'breadcrumb' | 'prose' | 'code'>,
  path: string[],
  words: Set<string>,
): { fields: Fields; lead: number } {
  const crumbs = unit.breadcrumb
  const prose = unit.prose.trimStart()
  const end = prose.search(endOfParagraph)
  const lead = analyse(proseOnly(end < 0 ? prose : prose.slice(0, end)), words)
  const rest = end < 0 ? [] : analyse(proseOnly(prose.slice(end)), words)
  const fields: Fields = [
    analyse(crumbs.at(-1) ?? '', words),
    analyse(crumbs.slice(1, -1).join(' '), words),
    crumbs.length > 1 ? analyse(crumbs[0] ?? '', words) : [],
    rest.length > 0 ? lead.concat(rest) : lead,
    analyse(unit.code.map((each) => each.code).join('\n'), words),
    path,
  ]
  return { fields, lead: lead.length }
}

const joinFields = (fields: string[][]): string =>
  fields
    .filter((field) => field.length > 0)
    .map((field) => field.join(' '))
    .join(' ')

function snippetOf(unit: Unit, path: string, urlOf: (line: number) => string): Omit<Snippet, 'id'> {
  return {
    breadcrumb: unit.breadcrumb,
    content: unit.content,
    code: unit.code,
    path,
    url: urlOf(unit.line),
    topic: pageTopics(unit.breadcrumb).at(-1) ?? '',
    tokens: countTokens(unit.content),
    hash: snippetHash(unit),
  }
}

function withoutNearDuplicates(units: Unit[]): Unit[] {
  if (units.length < 2 || units.length > maxCompared) return units
  type Kept = { unit: Unit; pairs: Set<number> }
  const kept: Unit[] = []
  const keptWith = new Map<number, Kept[]>()
  for (const unit of units) {
    const pairs = wordPairs(unit.content)
    const sample = pairSample(pairs)
    const repeats = (each: Kept) =>
      areNearDuplicates(each.pairs, pairs) && unit.code.every(({ code }) => each.unit.content.includes(code))
    const similar = new Set<Kept>()
    for (const pair of sample) for (const each of keptWith.get(pair) ?? []) similar.add(each)
    if (pairs.size >= 8 && [...similar].some(repeats)) continue
    const own = { unit, pairs }
    kept.push(unit)
    for (const pair of sample) {
      const others = keptWith.get(pair)
      if (others) others.push(own)
      else keptWith.set(pair, [own])
    }
  }
  return kept
}

function countOf(terms: Map<string, TermCount>, term: string): TermCount {
  let count = terms.get(term)
  if (!count) {
    count = { units: 0, weight: 0, lastUnit: -1 }
    terms.set(term, count)
  }
  return count
}
