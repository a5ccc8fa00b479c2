import type { TimeSlice } from '../../time/time-slice.ts'
import type { Concept, Question } from '../question/read-question.ts'
import { placeInPage, type SnippetRow } from '../rows/snippet-store.ts'
import { idf, tf } from '../statistics/bm25.ts'
import { type PageKind, pageKinds } from '../statistics/page-kind.ts'
import { fieldNames, type LibraryStatistics } from '../statistics/statistics.ts'
import { areNearDuplicates, bigramsOf } from '../words/bigrams.ts'
import { wordVectorComparison } from '../words/word-vectors.ts'
import { type CountTerms, termCounter } from './count-terms.ts'

/** `pageScore` is that of its page, relative to the best page of the candidates. */
export type RankedRow = { row: SnippetRow; score: number; bm25: number; pageScore: number }

type Ranking = Question & { library: LibraryStatistics; question: string; similarities?: number[] | undefined }

/** Lower than usual, because chunks are bounded in length. */
const b = 0.5
/**
 * Weights in units of the best BM25 score of a chunk, fitted by a listwise softmax on the questions of 22 libraries, each time without the library
 * that they were judged on: docs/ranking.md has the figures.
 */
const weights = { page: 0.76, cover: 1.2, length: 0.12, parent: 0.35, words: 1.4 }
const maxParent = 1.5

const kindFactors: Record<keyof PageKind, number> = {
  front: 0.85,
  change: 0.8,
  source: 0.6,
  blog: 0.8,
  tutorial: 0.95,
  project: 0.7,
  // Its sections repeat the names that guides explain.
  api: 0.7,
}
/** Release notes and migration guides come first if the question is about a release. */
const wantedChange = 1.3
const asksForRelease =
  /\b(?:releases?|release notes?|what.?s new|new in|chang(?:es|ed) (?:in|since|between)|change ?log|upgrad\w*|migrat\w*|breaking changes?|deprecat\w*|v\d+|version \d)/i

/**
 * Sorts rows, best first, by
 *
 *     kind · (bm25/best + .76 page + 1.2 cover + .12 ln(1 + n) + .35 parent + 1.4 words + similarity)
 *
 * - `bm25`: sum over the concepts of the question and the fields of the row, each concept by its best term, with the statistics of its library;
 *   `best` is the greatest of the rows.
 * - `page`: BM25 of the whole page, relative to the best page.
 * - `cover`: the share of the concepts that the row has, by their rarity (idf).
 * - `n`: its number of terms. `parent`: the best BM25 score among the sections that it is in, relative to `best`.
 * - `words`: the cosine of its word vector and that of the question. `similarity`: that of their vectors of a model, if there are any, times the weight of the
 *   model (`VectorSearch`). Adding it bounds the harm that a poor model can do; rank fusion would not.
 * - `kind`: the factor for the kind of its page.
 *
 * If no row has a word of the question (other words, or another language), only `similarity` and `kind` decide.
 */
export async function rank(rows: SnippetRow[], asked: Ranking, pace: TimeSlice): Promise<RankedRow[]> {
  const { concepts, library, similarities = [] } = asked
  const countTerms = termCounter(concepts.flat().map((each) => each.term))
  const subjects = concepts.map((concept) => subjectOf(concept, library))
  const matches: Match[] = []
  for (const row of rows) {
    matches.push(match(row, countTerms, subjects, library))
    if (pace.isOver()) await pace.yield()
  }
  const best = Math.max(0, ...matches.map(({ bm25 }) => bm25))
  const pages = await scorePages(new Set(rows.map((row) => row.page)), concepts, library, pace)
  const bestPage = Math.max(Number.MIN_VALUE, ...pages.values())
  const aboutRelease = asksForRelease.test(asked.question)
  const parents = bestParents(rows, matches)
  const compare = wordVectorComparison(asked.stems, library.meanWordVector)
  return rows
    .map((row, i) => {
      const pageScore = (pages.get(row.page) ?? 0) / bestPage
      const { bm25, cover } = matches[i] ?? noMatch
      const similarity = similarities[i] ?? 0
      const byWords = () =>
        bm25 / best +
        weights.page * pageScore +
        weights.cover * cover +
        weights.length * Math.log(1 + termsOf(row)) +
        weights.parent * Math.min(maxParent, (parents[i] ?? 0) / best) +
        weights.words * compare(row.wordVector)
      const kind = pageKindFactor(library.pageKind(row.page), aboutRelease)
      return { row, bm25, pageScore, score: kind * (best === 0 ? similarity : byWords() + similarity) }
    })
    .sort((a, b) => b.score - a.score || a.row.page - b.row.page || placeInPage(a.row.id) - placeInPage(b.row.id))
}

type TokenBudget = {
  tokens: number
  tokensOf(row: SnippetRow): number
  /** A lower bound of `tokensOf` that costs little. */
  leastTokens?(row: SnippetRow): number
  /** A row to serve instead of a chosen one, if the budget allows it. */
  complete?(row: SnippetRow): Promise<SnippetRow | undefined>
}

/** Takes the rows that fit the budget from the best down, one per section and no near-duplicates. */
export async function choose(
  ranked: RankedRow[],
  { tokens, tokensOf, leastTokens = () => 0, complete }: TokenBudget,
  pace: TimeSlice,
): Promise<SnippetRow[]> {
  const chosen: { row: SnippetRow; bigrams: Int32Array }[] = []
  const sections = new Set<string>()
  let left = tokens
  for (const { row } of ranked) {
    if (pace.isOver()) await pace.yield()
    const section = `${row.page}#${row.section}`
    if (sections.has(section) || (chosen.length > 0 && (leastTokens(row) > left || tokensOf(row) > left))) continue
    const bigrams = bigramsOf(row.content)
    if (chosen.some((each) => each.row.hash === row.hash || areNearDuplicates(each.bigrams, bigrams))) continue
    const completed = await complete?.(row)
    const served = completed && tokensOf(completed) <= left ? completed : row
    left -= tokensOf(served)
    sections.add(section)
    chosen.push({ row: served, bigrams })
  }
  return chosen.map((each) => each.row)
}

/** `cover` is the share of the concepts, by rarity, that the row has. */
type Match = { bm25: number; cover: number }

const noMatch: Match = { bm25: 0, cover: 0 }

/** A concept with the rarity of its first term, and the weight times the rarity of each. */
type Subject = { rarity: number; terms: { term: string; worth: number }[] }

function subjectOf(concept: Concept, { documentFrequency, chunks }: LibraryStatistics): Subject {
  const terms = concept.map(({ term, weight }) => ({ term, worth: weight * idf(documentFrequency(term), chunks) }))
  return { rarity: terms[0]?.worth ?? 0, terms }
}

function match(row: SnippetRow, countTerms: CountTerms, subjects: Subject[], library: LibraryStatistics): Match {
  const counts = countTerms(row)
  let [bm25, all, cover] = [0, 0, 0]
  for (const { rarity, terms } of subjects) {
    all += rarity
    if (terms.some(({ term }) => counts.has(term))) cover += rarity
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
    bm25 += best
  }
  return { bm25, cover: cover / (all || 1) }
}

/** The best BM25 score among the sections that each row is in. */
function bestParents(rows: SnippetRow[], matches: Match[]): number[] {
  const byPage = Map.groupBy(
    rows.map((row, i) => ({ crumbs: row.breadcrumb, score: matches[i]?.bm25 ?? 0 })),
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
function pageKindFactor(kind: PageKind, aboutRelease: boolean): number {
  let factor = aboutRelease && kind.change ? wantedChange : 1
  for (const each of pageKinds) {
    if (!kind[each] || (aboutRelease && (each === 'change' || each === 'blog'))) continue
    factor *= kindFactors[each]
  }
  return factor
}
