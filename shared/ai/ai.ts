import type { Embedder } from './embedder.ts'
import type { Llm } from './llm.ts'

/** The models that the settings name now: asked at each use, so that a change needs no restart. */
export type Ai = {
  /** Undefined where none is set. */
  embedder(): Embedder | undefined
  /** Undefined where none is set. */
  llm(): Llm | undefined
}
