import type { TimeSlice } from '../../time/time-slice.ts'
import type { Concept, Question } from '../question/read-question.ts'
import { placeInPage, type SnippetRow } from '../rows/snippet-store.ts'
import { idf, tf } from '../statistics/bm25.ts'
import { type PageKind, pageKinds } from '../statistics/page-kind.ts'
import { fieldNames, type LibraryStatistics } from '../statistics/statistics.ts'
import { areNearDuplicates, bigramsOf } from '../words/bigrams.ts'
import { wordVectorComparison } from '../words/word-vectors.ts'
import { countTerms } from './count-terms.ts'

/** `pageScore` is that of its page, relative to the best page of the candidates. */
export type RankedRow = { row: SnippetRow; score: number; pageScore: number }

type Ranking = Question & { library: LibraryStatistics; question: string; similarities?: number[] | undefined }

const b = 0.5
const pageShare = 0.8
/**
 * Weights in units of the best lexical score, fitted by a listwise softmax on the questions of 16 libraries, each time without
 * the library that they were judged on.
 */
const shares = { cover: 0.3, lead: 0.18, length: 0.06, parent: 0.14, wordVector: 0.4 }
const maxParent = 1.5
/**
 * The loss of a row for each row of its page that is chosen, after the first. A hard limit would hide the answers of a library
 * with one long page.
 */
const samePageLoss = 0.04
/** Weight of the similarity, relative to the best lexical score. Vectors of a poor model must not harm an answer much. */
const similarityShare = 0.2

const kindFactors: Record<keyof PageKind, number> = {
  front: 0.85,
  change: 0.8,
  source: 0.6,
  blog: 0.8,
  tutorial: 0.95,
  project: 0.7,
}
/** Release notes and migration guides come first if the question is about a release. */
const wantedChange = 1.3
const asksForRelease =
  /\b(?:releases?|release notes?|what.?s new|new in|chang(?:es|ed) (?:in|since|between)|change ?log|upgrad\w*|migrat\w*|breaking changes?|deprecat\w*|v\d+|version \d)/i
const asksForChange = /\b(chang|releas|version|migrat|upgrad|updat|deprecat|remov|breaking|new in|renam)/i

/**
 * Sorts rows, best first. The score of a row is a sum in units of the best lexical score:
 *
 * - BM25 over its fields, with the statistics of its library. Each concept adds the score of its best term. `b` is lower than usual,
 *   because chunks are bounded in length. BM25 of its whole page is added, relative to the best page, and the similarity of its vector, from 0 to 1:
 *   adding it bounds the harm that the vectors of a poor model can do; rank fusion would not. All of it times a factor for the kind of its page.
 * - The share of the concepts that it has, and that its first paragraph has, by their rarity.
 * - Its length, and the lexical score of the best section above it.
 * - How similar its words are to those of the question, by their vectors.
 */
export async function rank(rows: SnippetRow[], asked: Ranking, pace: TimeSlice): Promise<RankedRow[]> {
  const { concepts, library, similarities = [] } = asked
  const wanted = new Set(concepts.flat().map((each) => each.term))
  const subjects = concepts.map((concept) => subjectOf(concept, library))
  const matches: Match[] = []
  for (const row of rows) {
    matches.push(match(row, wanted, subjects, library))
    if (pace.isOver()) await pace.yield()
  }
  const best = Math.max(0, ...matches.map(({ score }) => score))
  const pages = await scorePages(new Set(rows.map((row) => row.page)), concepts, library, pace)
  const bestPage = Math.max(Number.MIN_VALUE, ...pages.values())
  const wants = { change: asksForChange.test(asked.question), release: asksForRelease.test(asked.question) }
  const parents = bestParents(rows, matches)
  const compare = wordVectorComparison(asked.stems, library.meanWordVector)
  return rows
    .map((row, i) => {
      const pageScore = (pages.get(row.page) ?? 0) / bestPage
      const { score: words, cover, lead } = matches[i] ?? noMatch
      // If no row has a word of the question (other words, or another language), only the similarity decides.
      const matched = best === 0 ? 0 : words / best + pageShare * pageScore
      const kind = library.pageKind(row.page)
      const lexical = (matched + similarityShare * (similarities[i] ?? 0)) * pageKindFactor(kind, wants)
      const parent = best === 0 ? 0 : Math.min(maxParent, (parents[i] ?? 0) / best)
      const more =
        shares.cover * cover +
        shares.lead * lead +
        shares.length * Math.log(1 + termsOf(row)) +
        shares.parent * parent +
        shares.wordVector * compare(row.wordVector)
      const score = best === 0 ? lexical : lexical + more
      return { row, pageScore, score: kind.change && wants.release ? score * wantedChange : score }
    })
    .sort((a, b) => b.score - a.score || a.row.page - b.row.page || placeInPage(a.row.id) - placeInPage(b.row.id))
}

type TokenBudget = {
  tokens: number
  tokensOf(row: SnippetRow): number
  /** A row to serve instead of a chosen one, if the budget allows it. */
  complete?(row: SnippetRow): Promise<SnippetRow | undefined>
}

/**
 * Takes rows from the best down, one per section and no near-duplicates, until the next exceeds the budget. Further rows of the same page lose a
 * part of their score.
 */
export async function choose(
  ranked: RankedRow[],
  { tokens, tokensOf, complete }: TokenBudget,
  pace: TimeSlice,
): Promise<SnippetRow[]> {
  const chosen: { row: SnippetRow; bigrams: Set<number> }[] = []
  const sections = new Set<string>()
  const perPage = new Map<number, number>()
  const left = [...ranked]
  let spent = 0
  const worth = ({ row, score }: RankedRow) => score - samePageLoss * Math.max(0, (perPage.get(row.page) ?? 0) - 1)
  while (left.length > 0) {
    if (pace.isOver()) await pace.yield()
    const [{ row }] = left.splice(indexOfMax(left, worth), 1) as [RankedRow]
    const section = `${row.page}#${row.section}`
    if (sections.has(section)) continue
    const bigrams = bigramsOf(row.content)
    if (chosen.some((each) => each.row.hash === row.hash || areNearDuplicates(each.bigrams, bigrams))) continue
    if (chosen.length > 0 && spent + tokensOf(row) > tokens) break
    const completed = await complete?.(row)
    const served = completed && spent + tokensOf(completed) <= tokens ? completed : row
    spent += tokensOf(served)
    sections.add(section)
    perPage.set(row.page, (perPage.get(row.page) ?? 0) + 1)
    chosen.push({ row: served, bigrams })
  }
  return chosen.map((each) => each.row)
}

/** The first of several. */
function indexOfMax<T>(items: T[], measure: (item: T) => number): number {
  let best = 0
  let max = Number.NEGATIVE_INFINITY
  items.forEach((item, i) => {
    const value = measure(item)
    if (value > max) [best, max] = [i, value]
  })
  return best
}

/** `cover` and `lead` are shares of the concepts, by rarity, that the row and its first paragraph have. */
type Match = { score: number; cover: number; lead: number }

const noMatch: Match = { score: 0, cover: 0, lead: 0 }

/** A concept with the rarity of its first term, and the weight times the rarity of each. */
type Subject = { rarity: number; terms: { term: string; worth: number }[] }

function subjectOf(concept: Concept, { documentFrequency, chunks }: LibraryStatistics): Subject {
  const terms = concept.map(({ term, weight }) => ({ term, worth: weight * idf(documentFrequency(term), chunks) }))
  return { rarity: terms[0]?.worth ?? 0, terms }
}

function match(row: SnippetRow, wanted: Set<string>, subjects: Subject[], library: LibraryStatistics): Match {
  const { counts, inLead } = countTerms(row, wanted)
  let [score, all, cover, lead] = [0, 0, 0, 0]
  for (const { rarity, terms } of subjects) {
    all += rarity
    if (terms.some(({ term }) => counts.has(term))) cover += rarity
    if (terms.some(({ term }) => inLead.has(term))) lead += rarity
    let best = 0
    for (const { term, worth } of terms) {
      const byField = counts.get(term)
      if (!byField) continue
      let matched = 0
      byField.forEach((count, field) => {
        if (count > 0) matched += tf(count, row.lengths[field] ?? 0, library.averageLengths[field] ?? 0, b)
      })
      best = Math.max(best, worth * matched)
    }
    score += best
  }
  return { score, cover: cover / (all || 1), lead: lead / (all || 1) }
}

/** The best lexical score among the sections that each row is in. */
function bestParents(rows: SnippetRow[], matches: Match[]): number[] {
  const byPage = Map.groupBy(
    rows.map((row, i) => ({ crumbs: row.breadcrumb, score: matches[i]?.score ?? 0 })),
    (_, i) => rows[i]?.page,
  )
  return rows.map(({ page, breadcrumb }) => {
    const above = (byPage.get(page) ?? []).filter(
      ({ crumbs }) => crumbs.length < breadcrumb.length && crumbs.every((each, i) => each === breadcrumb[i]),
    )
    return Math.max(0, ...above.map(({ score }) => score))
  })
}

/** Number of terms, those of the title twice. */
const termsOf = ({ lengths }: SnippetRow): number =>
  fieldNames.reduce((sum, _, field) => sum + (lengths[field] ?? 0), lengths[0] ?? 0)

async function scorePages(
  candidates: Set<number>,
  concepts: Concept[],
  library: LibraryStatistics,
  pace: TimeSlice,
): Promise<Map<number, number>> {
  const total = new Map<number, number>()
  for (const concept of concepts) {
    if (pace.isOver()) await pace.yield()
    const best = new Map<number, number>()
    for (const { term, weight } of concept) {
      const postings = library.pagesWith(term)
      if (!postings) return total
      const rarity = weight * idf(postings.pages.length, library.pages)
      postings.pages.forEach((page, i) => {
        if (!candidates.has(page)) return
        const score = rarity * tf(postings.weights[i] ?? 0, library.pageLength(page), library.averagePageLength, b)
        if (score > (best.get(page) ?? 0)) best.set(page, score)
      })
    }
    for (const [page, score] of best) total.set(page, (total.get(page) ?? 0) + score)
  }
  return total
}

/** A page may be of several kinds. */
function pageKindFactor(kind: PageKind, wants: { change: boolean; release: boolean }): number {
  let factor = 1
  for (const each of pageKinds) {
    if (!kind[each] || (each === 'change' && wants.change) || (each === 'blog' && wants.release)) continue
    factor *= kindFactors[each]
  }
  return factor
}
