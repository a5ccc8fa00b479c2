import { idf } from '../statistics/bm25.ts'
import type { LibraryStatistics } from '../statistics/statistics.ts'
import { stem, tokens } from '../words/analyse.ts'
import { functionWords } from '../words/function-words.ts'
import { vocabulary } from '../words/vocabulary.ts'
import type { RankedRow } from './rank.ts'

/**
 * Weights of a logistic regression over 373 questions to 22 libraries, each asked its own library and two others, without the library that it was
 * judged on: AUROC .93. 2 % of the questions that a library answers are below the threshold, and 57 % of those to another library.
 */
const weights = { coverage: 8.9, bm25: 3.5, constant: -7.7 }
export const coveredFrom = 0.25
const comparedRows = 5
/** The rarity of a word that is not in the documentation of other projects. */
const greatestRarity = -Math.log(0.001)

/**
 * How likely the library answers the question, from 0 to 1: σ(8.9 coverage + 3.5 ln(1 + bm25 / idf₀) − 7.7). `coverage` is the greatest share of the
 * question's words that one of the first rows has, by their rarity in the documentation of other projects; `bm25` is the best score of a row, and
 * `idf₀` the idf of a word that the library does not have.
 */
export function confidenceOf(stems: string[], ranked: RankedRow[], { chunks }: Pick<LibraryStatistics, 'chunks'>): number {
  const words = new Map(stems.map((word) => [word, rarity(word)]))
  const total = sum(words.values())
  if (total === 0) return 0
  const coverages = ranked.slice(0, comparedRows).map(({ row }) => {
    const own = new Set(row.terms.split(' '))
    return sum([...words].map(([word, rarity]) => (own.has(word) ? rarity : 0))) / total
  })
  const bm25 = Math.max(0, ...ranked.map((each) => each.bm25)) / idf(0, chunks)
  const odds = weights.coverage * Math.max(0, ...coverages) + weights.bm25 * Math.log(1 + bm25) + weights.constant
  return 1 / (1 + Math.exp(-odds))
}

const rarity = (word: string): number => Math.min(1, -Math.log(vocabulary().share(word) + 0.001) / greatestRarity)
const sum = (values: Iterable<number>): number => [...values].reduce((total, each) => total + each, 0)

const shownTopics = 5
const shownWords = 6

/** The sentence before an answer that may not be one. */
export function uncoveredNote(
  question: string,
  ranked: RankedRow[],
  library: { id: string; has(term: string): boolean },
): string {
  const words = [...tokens(question)].flatMap((token) => token.words).filter((word) => !functionWords.has(word))
  const missing = [...new Set(words.filter((word) => !library.has(stem(word))))].slice(0, shownWords)
  const topics = [...new Set(ranked.map(({ row }) => row.breadcrumb[0] ?? ''))]
    .filter((topic) => topic !== '')
    .slice(0, shownTopics)
  const why = missing.length > 0 ? `: no section has ${missing.map((word) => JSON.stringify(word)).join(', ')}` : ''
  const nearest = topics.length > 0 ? ` The nearest topics are: ${topics.join('; ')}.` : ''
  return `The documentation of ${library.id} does not seem to cover this question${why}.${nearest}`
}
