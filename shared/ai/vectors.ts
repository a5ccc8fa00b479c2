/** The generation that uses vectors. */
export type VectorUser = {
  generation: string
  /** Key of the library. */
  library: string
  /** Name of the vector space; see `VectorSpace`. */
  model: string
}

/** A vector with the hash of its text. */
export type MadeVector = { hash: string; vector: Float32Array }

/** A snippet without a vector, as the report of a job shows it. */
export type LeftOut = { hash: string; path: string; reason: string }

/**
 * Vectors by model and hash of the text, stored separately from generations so that none is paid for twice. A vector is deleted with the last
 * generation that uses it.
 */
export type Vectors = {
  /** The stored vectors by hash, of this length if it is known. Records that the generation uses them. */
  take(user: VectorUser, hashes: string[], dimensions: number | undefined): Promise<Map<string, Float32Array>>
  /** Stores vectors that the generation uses. */
  put(user: VectorUser, made: MadeVector[]): Promise<void>
  /** Records snippets of the generation that have no vector. A vector that it uses later for the same text removes the record. */
  leaveOut(user: VectorUser, snippets: LeftOut[]): Promise<void>
  /** The number of snippets of a generation that have no vector, and at most `limit` of them, by path. */
  leftOut(generation: string, limit: number): { count: number; snippets: Omit<LeftOut, 'hash'>[] }
  /** The number of different vectors that a generation uses. */
  count(generation: string): number
  /** Records that a copy of a generation uses the same vectors. */
  copy(from: string, to: string): Promise<void>
  /** The vector space that a generation uses. */
  modelOf(generation: string): string | undefined
  /** The generations that use vectors, with the time of first use. */
  users(): { generation: string; library: string; since: Date }[]
  /** Drops what waits for the next run of a library: vectors that no generation in the catalog uses may be deleted immediately. */
  disown(library: string): void
  /** Records that the generation uses no vectors any more. */
  forget(generation: string): Promise<void>
}
