/**
 * The weight of a term that `matching` of `all` documents contain: BM25's inverse document frequency (Robertson & Zaragoza, "The Probabilistic
 * Relevance Framework", 2009), with 1 added under the logarithm as in Lucene, so that it is never negative.
 */
export const inverseFrequency = (matching: number, all: number): number => Math.log(1 + (all - matching + 0.5) / (matching + 0.5))
