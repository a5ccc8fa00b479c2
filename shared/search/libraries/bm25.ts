import { inverseFrequency } from '../statistics/inverse-frequency.ts'

const saturation = 1.2
const lengthShare = 0.75

/** Term statistics of a set of short texts. */
export type Bm25Index = {
  lengths: Uint32Array
  averageLength: number
  postings: ReadonlyMap<string, { documents: number[]; counts: number[] }>
}

/** Documents are lists of terms, identified by their position in the list. */
export function bm25Index(documents: string[][]): Bm25Index {
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
export function bm25(index: Bm25Index, terms: ReadonlySet<string>): Float64Array {
  const scores = new Float64Array(index.lengths.length)
  for (const term of terms) {
    const posting = index.postings.get(term)
    if (!posting) continue
    const weight = inverseFrequency(posting.documents.length, index.lengths.length) * (saturation + 1)
    for (let i = 0; i < posting.documents.length; i++) {
      const document = posting.documents[i] ?? 0
      const count = posting.counts[i] ?? 0
      const length = (index.lengths[document] ?? 0) / index.averageLength
      const score = (weight * count) / (count + saturation * (1 - lengthShare + lengthShare * length))
      scores[document] = (scores[document] ?? 0) + score
    }
  }
  return scores
}

/** The share of the terms, weighted by rarity, that each document contains. */
export function coverage(index: Bm25Index, terms: ReadonlySet<string>): Float64Array {
  const shares = new Float64Array(index.lengths.length)
  const frequency = (term: string) => index.postings.get(term)?.documents.length ?? 0
  const rarities = new Map([...terms].map((term) => [term, inverseFrequency(frequency(term), index.lengths.length)]))
  const total = [...rarities.values()].reduce((sum, each) => sum + each, 0)
  for (const [term, weight] of rarities) {
    for (const document of index.postings.get(term)?.documents ?? []) shares[document] = (shares[document] ?? 0) + weight / total
  }
  return shares
}
