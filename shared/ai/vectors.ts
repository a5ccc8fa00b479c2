/** Who asks for vectors: the generation that is written with them, of a library by its key. */
export type VectorUser = {
  generation: string
  library: string
  /** Provider, address and model, as `VectorSpace` names them. */
  model: string
}

/** A text by its hash, and what it became. */
export type MadeVector = { hash: string; vector: Float32Array }

/**
 * Vectors by model and the hash of their text, kept apart from generations: what was paid for once is not paid for again. A vector goes with
 * the last generation that uses it.
 */
export type Vectors = {
  /** Those that are there, by hash, of this length where it is known; the generation uses them from here on. */
  take(user: VectorUser, hashes: string[], dimensions: number | undefined): Promise<Map<string, Float32Array>>
  /** Keeps vectors that the generation uses. */
  put(user: VectorUser, made: MadeVector[]): Promise<void>
  /** A copy of a generation uses what the generation uses. */
  copy(from: string, to: string): Promise<void>
  /** The model whose vectors a generation uses. */
  modelOf(generation: string): string | undefined
  /** The generations that use vectors, and since when. */
  users(): { generation: string; library: string; since: Date }[]
  /** Nothing of a library waits for its next run: what no generation in the catalog uses is older than all from here on. */
  disown(library: string): void
  /** The generation uses nothing any more. */
  forget(generation: string): Promise<void>
}
