import type { SnippetRow } from '../rows/snippet-store.ts'

/** A model that orders the best candidates of a question. */
export type Reranker = {
  /** Differs between models. */
  model: string
  /** Questions at the same time. */
  requestsAtOnce: number
  maxCandidates: number
  /** The places of candidates in the list, the best first; unknown places are ignored. Throws AppError with one sentence. */
  order(question: string, candidates: SnippetRow[], signal: AbortSignal): Promise<number[]>
}
