import type { Embedder, VectorSpace } from '../../ai/embedder.ts'
import type { PoolOptions } from '../../ai/embedding-pool.ts'
import type { Vectors } from '../../ai/vectors.ts'
import type { Skipped } from '../../reading/discover/skipped.ts'
import type { SnippetStore } from '../../search/rows/snippet-store.ts'
import { countOf } from '../../text/figures.ts'
import { type EmbeddingFigures, type EmbeddingProgress, type EmbeddingWriter, embeddingWriter } from './embedding-writer.ts'
import { beginGeneration } from './known-vectors.ts'

/** The embedder of a run, chosen at its start. */
export type Embedding = {
  embedder: Embedder
  vectors: Vectors
  options?: PoolOptions
}

export type EmbeddingStore = {
  write(generation: string): Promise<EmbeddingWriter>
  /** Space of the written vectors; undefined if nothing was written. */
  space(): VectorSpace | undefined
  /** Texts that were sent to the provider. Known vectors of any generation are reused. */
  textsEmbedded(): number
}

const maxLeftOut = 100

/** A store that writes each row with its vector and keeps their order. `library` is the key of the library. */
export function embeddingStore(
  snippets: Pick<SnippetStore, 'write'>,
  { embedder, vectors, options = {} }: Embedding,
  library: string,
  signal: AbortSignal,
  progress: EmbeddingProgress = {},
): EmbeddingStore {
  const figures: EmbeddingFigures = { dimensions: embedder.dimensions, textsEmbedded: 0 }
  return {
    async write(generation) {
      const writer = await beginGeneration(snippets, vectors, generation, embedder.model)
      const user = { generation, library, model: embedder.model }
      return embeddingWriter({ writer, embedder, vectors, user, options, signal, ...progress }, figures)
    },
    space() {
      const { dimensions } = figures
      return dimensions === undefined ? undefined : { model: embedder.model, dimensions }
    },
    textsEmbedded: () => figures.textsEmbedded,
  }
}

/** The snippets of a generation without vectors: the first, and how many more there are. */
export function leftOutSnippets(vectors: Pick<Vectors, 'leftOut'>, generation: string): Skipped[] {
  const { count, snippets } = vectors.leftOut(generation, maxLeftOut)
  const more = count - snippets.length
  return more > 0 ? [...snippets, { path: '…', reason: `${countOf(more, 'more snippet')} without a vector` }] : snippets
}
