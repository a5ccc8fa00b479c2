import type { Embedder, VectorSpace } from './embedder.ts'
import type { Llm } from './llm.ts'

/** The models that the settings name now: asked at each use, so that a change needs no restart. */
export type Ai = {
  /** Undefined where none is set. */
  embedder(): Embedder | undefined
  /** The one whose vectors these are, set now or before at the same provider; undefined where it cannot be reached any more. */
  embedderFor(space: VectorSpace): Embedder | undefined
  /** Undefined where none is set. */
  llm(): Llm | undefined
}
