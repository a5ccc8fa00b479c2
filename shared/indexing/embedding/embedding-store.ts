import type { Embedder, VectorSpace } from '../../ai/embedder.ts'
import type { PoolOptions } from '../../ai/embedding-pool.ts'
import type { Vectors } from '../../ai/vectors.ts'
import type { Skipped } from '../../reading/discover/skipped.ts'
import type { GenerationWriter, SnippetStore } from '../../search/rows/snippet-store.ts'
import { countOf } from '../../text/figures.ts'
import { type EmbeddingFigures, embeddingWriter } from './embedding-writer.ts'

/** The embedder of a run, chosen at its start; without one, rows are written without vectors. */
export type Embedding = {
  embedder: Embedder | undefined
  vectors: Vectors
  options?: PoolOptions
}

export type EmbeddingStore = Pick<SnippetStore, 'write'> & {
  /** Space of the written vectors; undefined without vectors. */
  space(): VectorSpace | undefined
  /** Texts that were sent to the provider. Known vectors of any generation are reused. */
  textsEmbedded(): number
  /** The written snippets without vectors: the first, and how many more there are. */
  leftOut(): Skipped[]
  /** The time that writing has waited for the provider, including a wait in progress. */
  waitedMs(): number
}

const maxLeftOut = 100

/**
 * A store that writes each row with its vector and keeps their order. `library` is the key of the library. Calls `onEmbedded` with the
 * number of texts before their vectors are stored.
 */
export function embeddingStore(
  snippets: Pick<SnippetStore, 'write'>,
  { embedder, vectors, options = {} }: Embedding,
  library: string,
  signal: AbortSignal,
  onEmbedded?: (texts: number) => void,
): EmbeddingStore {
  const figures: EmbeddingFigures = {
    dimensions: embedder?.dimensions,
    textsEmbedded: 0,
    waitedMs: 0,
    waitsSinceMs: undefined,
  }
  const generations: string[] = []
  const begin = async (generation: string): Promise<GenerationWriter> => {
    const writer = await snippets.write(generation)
    if (vectors.modelOf(generation) === embedder?.model) return writer
    // New, or begun by an interrupted run with another model.
    const isStored = writer.written > 0
    if (isStored) await writer.abort()
    await vectors.forget(generation)
    return isStored ? snippets.write(generation) : writer
  }
  return {
    async write(generation) {
      generations.push(generation)
      const writer = await begin(generation)
      if (!embedder) return writer
      const user = { generation, library, model: embedder.model }
      return embeddingWriter({ writer, embedder, vectors, user, options, signal, onEmbedded }, figures)
    },
    space() {
      const { dimensions } = figures
      return embedder && dimensions !== undefined ? { model: embedder.model, dimensions } : undefined
    },
    textsEmbedded: () => figures.textsEmbedded,
    leftOut: () => generations.flatMap((generation) => shownOf(vectors.leftOut(generation, maxLeftOut))),
    waitedMs: () => figures.waitedMs + (figures.waitsSinceMs === undefined ? 0 : performance.now() - figures.waitsSinceMs),
  }
}

function shownOf({ count, snippets }: ReturnType<Vectors['leftOut']>): Skipped[] {
  const more = count - snippets.length
  return more > 0 ? [...snippets, { path: '…', reason: `${countOf(more, 'more snippet')} without a vector` }] : snippets
}
