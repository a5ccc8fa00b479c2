import type { TimeSlice } from '../time/time-slice.ts'
import { inverseFrequency } from './inverse-frequency.ts'
import { type PageKind, pageKind } from './page-kind.ts'
import type { Concept } from './read-question.ts'
import type { SnippetRow } from './snippet-store.ts'
import { fieldNames, type LibraryStatistics } from './statistics.ts'
import { areNearDuplicates, wordPairs } from './word-pairs.ts'

/** `pageScore` is that of its page, relative to the best page of the candidates. */
export type RankedRow = { row: SnippetRow; score: number; pageScore: number }

type Ranking = { concepts: Concept[]; library: LibraryStatistics; question: string; near: number[] | undefined }

const saturation = 1.2
const lengthShare = 0.5
const pageShare = 0.8
/** The factor of a row's score for each row of its page that is chosen, after the first. A hard limit would hide the answers of a library with one long page. */
const samePageFactor = 0.95
/** Weight of nearness, relative to the best lexical score. If vectors are only feature hashes, it costs 0.01 to 0.02 of R@5; twice the weight costs 0.03. */
const nearShare = 0.2

const asksForChange = /\b(chang|releas|version|migrat|upgrad|updat|deprecat|remov|breaking|new in|renam)/i

/**
 * Sorts rows, best first. The score of a row is the sum of three parts, times a factor for the kind of its page:
 *
 * - BM25 over its fields, with the statistics of its library. Each concept adds the score of its best term. k1 = 1.2; b = 0.5, because
 *   units are bounded in length (Robertson & Zaragoza, "The Probabilistic Relevance Framework", 2009).
 * - BM25 of its whole page, relative to the best page.
 * - `near`, from 0 to 1 for each row. Adding it bounds the harm that the vectors of a poor model can do; rank fusion would not.
 */
export async function rank(
  rows: SnippetRow[],
  { concepts, library, question, near = [] }: Ranking,
  pace: TimeSlice,
): Promise<RankedRow[]> {
  const scores: number[] = []
  for (const row of rows) {
    scores.push(scoreRow(row, concepts, library))
    if (pace.isOver()) await pace.yield()
  }
  const best = Math.max(0, ...scores)
  const pages = await scorePages(new Set(rows.map((row) => row.page)), concepts, library, pace)
  const bestPage = Math.max(Number.MIN_VALUE, ...pages.values())
  const wantsChange = asksForChange.test(question)
  return rows
    .map((row, i) => {
      const pageScore = (pages.get(row.page) ?? 0) / bestPage
      const evidence = pageShare * best * pageScore
      // If no row has a word of the question (other words, or another language), only nearness decides.
      const nearby = nearShare * (best || 1) * (near[i] ?? 0)
      return {
        row,
        pageScore,
        score:
          ((scores[i] ?? 0) + evidence + nearby) * pageKindFactor(library.pageKind(row.page) ?? pageKind(row.path), wantsChange),
      }
    })
    .sort((a, b) => b.score - a.score)
}

/**
 * Takes rows from the best down, one per section and no near-duplicates, until the next exceeds the budget. Further rows of the same page lose a
 * part of their score.
 */
export async function choose(
  ranked: RankedRow[],
  budgetTokens: number,
  tokensOf: (row: SnippetRow) => number,
  pace: TimeSlice,
): Promise<SnippetRow[]> {
  const chosen: { row: SnippetRow; pairs: Set<number> }[] = []
  const sections = new Set<string>()
  const perPage = new Map<number, number>()
  const left = [...ranked]
  let spent = 0
  const worth = ({ row, score }: RankedRow) => score * samePageFactor ** Math.max(0, (perPage.get(row.page) ?? 0) - 1)
  while (left.length > 0) {
    if (pace.isOver()) await pace.yield()
    const [{ row }] = left.splice(indexOfMax(left, worth), 1) as [RankedRow]
    const section = `${row.page}#${row.section}`
    if (sections.has(section)) continue
    const pairs = wordPairs(row.content)
    if (chosen.some((each) => areNearDuplicates(each.pairs, pairs))) continue
    const tokens = tokensOf(row)
    if (chosen.length > 0 && spent + tokens > budgetTokens) break
    spent += tokens
    sections.add(section)
    perPage.set(row.page, (perPage.get(row.page) ?? 0) + 1)
    chosen.push({ row, pairs })
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

function scoreRow(row: SnippetRow, concepts: Concept[], library: LibraryStatistics): number {
  const counts = countTerms(row, new Set(concepts.flat().map((each) => each.term)))
  let score = 0
  for (const concept of concepts) {
    let best = 0
    for (const { term, weight } of concept) {
      const byField = counts.get(term)
      if (!byField) continue
      let matched = 0
      byField.forEach((count, field) => {
        if (count > 0) matched += saturate(count, row.lengths[field] ?? 0, library.averageLengths[field] ?? 0)
      })
      best = Math.max(best, weight * inverseFrequency(library.documentFrequency(term), library.units) * matched)
    }
    score += best
  }
  return score
}

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
      const rarity = weight * inverseFrequency(postings.pages.length, library.pages)
      postings.pages.forEach((page, i) => {
        if (!candidates.has(page)) return
        const score = rarity * saturate(postings.weights[i] ?? 0, library.pageLength(page), library.averagePageLength)
        if (score > (best.get(page) ?? 0)) best.set(page, score)
      })
    }
    for (const [page, score] of best) total.set(page, (total.get(page) ?? 0) + score)
  }
  return total
}

function countTerms(row: SnippetRow, wanted: Set<string>): Map<string, number[]> {
  const counts = new Map<string, number[]>()
  const terms = row.terms.split(' ')
  // Skips the first copy of the title, which doubles its weight in the text index.
  let at = row.lengths[0] ?? 0
  fieldNames.forEach((_, field) => {
    const end = at + (row.lengths[field] ?? 0)
    for (; at < end; at++) {
      const term = terms[at] ?? ''
      if (!wanted.has(term)) continue
      let byField = counts.get(term)
      if (!byField) {
        byField = fieldNames.map(() => 0)
        counts.set(term, byField)
      }
      byField[field] = (byField[field] ?? 0) + 1
    }
  })
  return counts
}

const saturate = (count: number, length: number, average: number) =>
  (count * (saturation + 1)) / (count + saturation * (1 - lengthShare + (lengthShare * length) / (average || 1)))

/** The factor for the kind of a page. */
function pageKindFactor(kind: PageKind, wantsChange: boolean): number {
  let worth = 1
  if (kind.guide) worth *= 0.85
  if (kind.change && !wantsChange) worth *= 0.8
  if (kind.source) worth *= 0.6
  return worth
}
