import type { Embedder, VectorSpace } from './embedder.ts'
import type { Llm } from './llm.ts'

/** The models that the settings select. Read at each use, so a change needs no restart. */
export type Ai = {
  /** The embedder; undefined if none is set. */
  embedder(): Embedder | undefined
  /** The model of these vectors: the current one, or an earlier one of the same provider. Undefined if it is no longer configured. */
  embedderFor(space: VectorSpace): Embedder | undefined
  /** The language model; undefined if none is set. */
  llm(): Llm | undefined
}
