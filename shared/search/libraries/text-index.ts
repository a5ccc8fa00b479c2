import { idf, tf } from '../statistics/bm25.ts'

const b = 0.75

/** Term statistics of a set of short texts. */
export type TextIndex = {
  lengths: Uint32Array
  averageLength: number
  postings: ReadonlyMap<string, { documents: number[]; counts: number[] }>
}

/** Documents are lists of terms, identified by their position in the list. */
export function textIndex(documents: string[][]): TextIndex {
  const postings = new Map<string, { documents: number[]; counts: number[] }>()
  let total = 0
  documents.forEach((terms, document) => {
    total += terms.length
    for (const term of terms) {
      const posting = postings.get(term)
      if (!posting) postings.set(term, { documents: [document], counts: [1] })
      else if (posting.documents.at(-1) === document) posting.counts.push((posting.counts.pop() ?? 0) + 1)
      else {
        posting.documents.push(document)
        posting.counts.push(1)
      }
    }
  })
  return {
    lengths: Uint32Array.from(documents, (terms) => terms.length),
    averageLength: Math.max(1, total / Math.max(1, documents.length)),
    postings,
  }
}

/** The BM25 score of every document for the terms. */
export function bm25Scores(index: TextIndex, terms: ReadonlySet<string>): Float64Array {
  const scores = new Float64Array(index.lengths.length)
  for (const term of terms) {
    const posting = index.postings.get(term)
    if (!posting) continue
    const weight = idf(posting.documents.length, index.lengths.length)
    for (let i = 0; i < posting.documents.length; i++) {
      const document = posting.documents[i] ?? 0
      const count = posting.counts[i] ?? 0
      const score = weight * tf(count, index.lengths[document] ?? 0, index.averageLength, b)
      scores[document] = (scores[document] ?? 0) + score
    }
  }
  return scores
}

/** The share of the terms, weighted by rarity, that each document contains. */
export function coverage(index: TextIndex, terms: ReadonlySet<string>): Float64Array {
  const shares = new Float64Array(index.lengths.length)
  const frequency = (term: string) => index.postings.get(term)?.documents.length ?? 0
  const rarities = new Map([...terms].map((term) => [term, idf(frequency(term), index.lengths.length)]))
  const total = [...rarities.values()].reduce((sum, each) => sum + each, 0)
  for (const [term, weight] of rarities) {
    for (const document of index.postings.get(term)?.documents ?? []) shares[document] = (shares[document] ?? 0) + weight / total
  }
  return shares
}
