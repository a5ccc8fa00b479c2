/**
 * How much a term that `held` of `all` documents hold says: BM25's inverse document frequency (Robertson & Zaragoza, "The Probabilistic
 * Relevance Framework", 2009), with 1 added under the logarithm as Lucene does, so that it is never negative.
 */
export const inverseFrequency = (held: number, all: number): number => Math.log(1 + (all - held + 0.5) / (held + 0.5))
