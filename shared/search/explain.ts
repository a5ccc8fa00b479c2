import type { Concept } from './question/read-question.ts'
import type { Candidates } from './ranking/find-candidates.ts'
import type { RankedRow } from './ranking/rank.ts'
import { stem, tokens } from './words/analyse.ts'

/** The reasons why a snippet was chosen. */
export type Explanation = {
  /** Its rank in each search that found it, from 1. */
  legs: { text?: number; vector?: number }
  /** The score that the snippets are sorted by. With a language model, the order of its ranking comes first. */
  score: number
  /** The words of the question that the snippet contains. */
  words: string[]
  /** The evidence of its page, from 0 to 1 (the best page). */
  pageScore: number
}

/** The steps of search that exist for a library, and that a question can switch off. */
export type Available = { vectors: boolean; reranking: boolean }

type Evidence = { question: string; concepts: Concept[]; retrieved: Candidates['retrieved']; ranked: RankedRow[] }

/** The explanation of each row, by its id. */
export function explain({ question, concepts, retrieved, ranked }: Evidence): Map<string, Explanation> {
  const asked = new Map(
    [...tokens(question)].flatMap(({ words, joined }) => [...words, ...joined].map((word) => [stem(word), word])),
  )
  const wanted = concepts.flat().map(({ term }) => term)
  const ranks = { text: ranksOf(retrieved.text), vector: ranksOf(retrieved.vector) }
  return new Map(
    ranked.map(({ row, score, pageScore }) => {
      const own = new Set(row.terms.split(' '))
      const words = [...new Set(wanted.filter((term) => own.has(term)).map((term) => asked.get(term) ?? term))]
      const [text, vector] = [ranks.text.get(row.id), ranks.vector.get(row.id)]
      const legs = { ...(text !== undefined && { text }), ...(vector !== undefined && { vector }) }
      return [row.id, { legs, score, words, pageScore }]
    }),
  )
}

const ranksOf = (rows: readonly { id: string }[]): Map<string, number> => new Map(rows.map(({ id }, at) => [id, at + 1]))
