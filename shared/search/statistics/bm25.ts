/** BM25 (Robertson & Zaragoza, "The Probabilistic Relevance Framework", 2009). The score of a term is its `idf` times its `tf`. */
const k1 = 1.2

/**
 * The inverse document frequency of a term that `matching` of `all` documents contain, with 1 added under the logarithm as in Lucene, so that it
 * is never negative.
 */
export const idf = (matching: number, all: number): number => Math.log(1 + (all - matching + 0.5) / (matching + 0.5))

/** The frequency of a term in a document of `length` terms, saturated by k1. `b` says how much the length counts. */
export const tf = (count: number, length: number, averageLength: number, b: number): number =>
  (count * (k1 + 1)) / (count + k1 * (1 - b + (b * length) / (averageLength || 1)))
