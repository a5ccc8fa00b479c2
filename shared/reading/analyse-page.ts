import type { AnalysedUnit } from '../search/rows/packed-units.ts'
import { pageKind } from '../search/statistics/page-kind.ts'
import type { PageCounts } from '../search/statistics/statistics.ts'
import { areNearDuplicates, pairSample, wordPairs } from '../search/words/word-pairs.ts'
import { isCode, proseOf, type Snippet, snippetHash } from '../snippet.ts'
import { countTokens } from '../text/count-tokens.ts'
import { pageTopics } from '../text/page-topics.ts'
import type { Unit } from './chunk.ts'
import { type Enrichments, type MissingText, missingText, withEnrichments } from './missing-text.ts'
import { pageCounter } from './page-counter.ts'

export type AnalysedPage = {
  units: AnalysedUnit[]
  counts: PageCounts
  /** Missing texts of the chunks that are not enriched. */
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

/** A snippet of a page before analysis. */
export type PageSnippet = Omit<Snippet, 'id'> & { section: number }

/** Turns the units of a page into rows and counts for the library's statistics. Drops near-duplicates that have no new code. */
export function analysePage(
  units: Unit[],
  path: string,
  urlOf: (line: number) => string,
  { isTitled = true, enrichments }: AnalyseOptions = {},
): AnalysedPage {
  const own = withoutNearDuplicates(units)
  const kept = own.map((unit) => withEnrichments(unit, enrichments))
  const snippets = kept.map((unit) => ({ ...snippetOf(unit, path, urlOf), section: unit.section }))
  const missing = own.flatMap((unit, i) => (unit === kept[i] ? (missingText(unit, isTitled) ?? []) : []))
  return { ...analyseSnippets(snippets, path), missing }
}

/**
 * Turns the snippets of a page into rows and counts for the library's statistics. It reads only what is stored and what bundles hold, so that a
 * parse, an import and a rebuild have the same result.
 */
export function analyseSnippets(snippets: PageSnippet[], path: string): Omit<AnalysedPage, 'missing'> {
  const counter = pageCounter(path, snippets[0]?.breadcrumb[0] ?? '')
  const units = snippets.map(({ section, ...snippet }, place) => {
    const { terms, lengths, meaning } = counter.add({ ...snippet, prose: searchedProse(snippet) })
    const toCode = rowsToCode(snippets, place)
    return { ...snippet, terms, lengths, ...(meaning && { meaning }), ...(toCode !== 0 && { toCode }), section }
  })
  const topics = units.flatMap(({ breadcrumb }) => pageTopics(breadcrumb))
  return { units, counts: { ...counter.total(), kind: pageKind(path), units: units.length, topics } }
}

/** A snippet without code is prose, even in fences. */
const searchedProse = (snippet: Omit<Snippet, 'id'>): string =>
  withoutGeneratedNote(isCode(snippet) ? proseOf(snippet) : snippet.content)

/**
 * The distance from a window without code to the nearest window of its section that has code, the following first. 0 if there is
 * none.
 */
function rowsToCode(snippets: PageSnippet[], place: number): number {
  const { code, section } = snippets[place] as PageSnippet
  if (code.length > 0) return 0
  const isIn = (at: number) => snippets[at]?.section === section
  for (let step = 1; step <= maxRowsToCode && (isIn(place + step) || isIn(place - step)); step++)
    for (const way of [step, -step]) if (isIn(place + way) && snippets[place + way]?.code.length) return way
  return 0
}

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

const note = (source: string) => `Generated from \`${source}\` by a language model.`
const noteAtStart = /^Generated from `[^\n]*` by a language model\.(?:\n\n|$)/

/** Tells readers of a single snippet that it was generated. The note is not searched. */
export const withGeneratedNote = (content: string, source: string): string => `${note(source)}\n\n${content}`

const withoutGeneratedNote = (prose: string): string => prose.replace(noteAtStart, '')
