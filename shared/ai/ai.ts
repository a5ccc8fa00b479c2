import type { Embedder, VectorSpace } from './embedder.ts'
import type { Llm } from './llm.ts'

/** The models that the settings select. Read at each use, so a change needs no restart. */
export type Ai = {
  /** Undefined if none is set. */
  embedder(): Embedder | undefined
  /** The model of these vectors: the current one, or an earlier one of the same provider. Undefined if it is no longer configured. */
  embedderFor(space: VectorSpace): Embedder | undefined
  /** Undefined if none is set. */
  llm(): Llm | undefined
}
