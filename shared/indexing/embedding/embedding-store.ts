import type { Embedder, VectorSpace } from '../../ai/embedder.ts'
import type { PoolOptions } from '../../ai/embedding-pool.ts'
import type { Vectors } from '../../ai/vectors.ts'
import { AppError } from '../../errors.ts'
import type { Skipped } from '../../reading/discover/skipped.ts'
import { packRows, sliceRows, unpackRows } from '../../search/rows/pack-rows.ts'
import type { GenerationWriter, PackedRows, SnippetStore } from '../../search/rows/snippet-store.ts'
import { countOf } from '../../text/pluralize.ts'
import { embedRows, rowsInFlight, type WaitingRow, waitingRow } from './embed-rows.ts'

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

/** Rows per lookup in the store of vectors. */
const lookupRows = 200
const maxBytes = 32 * 1024 * 1024
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
  let dimensions: number | undefined = embedder?.dimensions
  let texts = 0
  let waited = 0
  let waitsSince: number | undefined
  const generations: string[] = []

  const write = async (generation: string): Promise<GenerationWriter> => {
    const begun = await snippets.write(generation)
    if (vectors.modelOf(generation) === embedder?.model) return begun
    // New, or begun by an interrupted run with another model.
    const isStored = begun.written > 0
    if (isStored) await begun.abort()
    await vectors.forget(generation)
    return isStored ? snippets.write(generation) : begun
  }
  const withVectors = (writer: GenerationWriter, generation: string, model: Embedder): GenerationWriter => {
    const user = { generation, library, model: model.model }
    const maxRows = rowsInFlight(model.limits)
    const requests = embedRows(
      model,
      {
        async made(made) {
          for (const { vector } of made) checkLength(vector)
          texts += made.length
          onEmbedded?.(texts)
          await vectors.put(user, made)
        },
        async leftOut(snippets, length) {
          dimensions ??= length
          await vectors.leaveOut(user, snippets)
        },
      },
      signal,
      options,
    )
    let unseen: WaitingRow[] = []
    let rows: WaitingRow[] = []
    /** The rows that wait, and those of `unseen`, as they were added. */
    const batches: PackedRows[] = []
    let bytes = 0
    const lookUp = async () => {
      const seen = unseen
      unseen = []
      const known = await vectors.take(
        user,
        seen.map(({ hash }) => hash),
        dimensions,
      )
      for (const each of seen) {
        each.vector = known.get(each.hash)
        if (each.vector) checkLength(each.vector)
      }
      rows.push(...seen)
      for (const row of seen) if (row.vector) requests.addAccepted(row)
      requests.request(seen.filter(({ vector }) => vector === undefined))
    }
    const writeReady = async () => {
      const end = rows.findIndex(({ vector }) => vector === undefined)
      const ready = end < 0 ? rows : rows.slice(0, end)
      if (ready.length === 0) return
      rows = end < 0 ? [] : rows.slice(end)
      for (const { text } of ready) bytes -= text.length
      for (let at = 0; at < ready.length; ) {
        const batch = batches.shift() as PackedRows
        const taken = Math.min(batch.length, ready.length - at)
        if (taken < batch.length) batches.unshift(sliceRows(batch, taken))
        const vectors = ready.slice(at, at + taken).map(({ vector }) => vector)
        await writer.add({ ...sliceRows(batch, 0, taken), vectors })
        at += taken
      }
    }
    /** Waits until at most `maxLeft` rows and `maxBytesLeft` are pending. */
    const drain = async (maxLeft: number, maxBytesLeft: number) => {
      await writeReady()
      while (rows.length > maxLeft || (bytes > maxBytesLeft && rows.length > 0)) {
        signal.throwIfAborted()
        // Vectors may have arrived while the table was written.
        if (rows[0]?.vector === undefined) {
          waitsSince = performance.now()
          await requests.next().finally(() => {
            waited = waitedMs()
            waitsSince = undefined
          })
        }
        await writeReady()
      }
    }
    return {
      written: writer.written,
      async add(more) {
        const packed = Array.isArray(more) ? packRows(more) : more
        batches.push(packed)
        for (const row of Array.isArray(more) ? more : unpackRows(more)) {
          const each = waitingRow(row)
          bytes += each.text.length
          unseen.push(each)
          if (unseen.length < lookupRows && bytes < maxBytes) continue
          await lookUp()
          await drain(maxRows, maxBytes)
        }
      },
      async finish(statistics, origins) {
        await lookUp()
        await drain(0, 0)
        await writer.finish(statistics, origins)
      },
      async abort() {
        await requests.end()
        await writer.abort()
      },
    }
  }
  const checkLength = (vector: Float32Array) => {
    dimensions ??= vector.length
    if (vector.length === dimensions) return
    const message = `The embedding provider returned a vector of ${vector.length} numbers; the others have ${dimensions}.`
    throw new AppError('internal_error', message, { retry: 'limited' })
  }

  const waitedMs = () => waited + (waitsSince === undefined ? 0 : performance.now() - waitsSince)

  return {
    async write(generation) {
      generations.push(generation)
      const writer = await write(generation)
      return embedder ? withVectors(writer, generation, embedder) : writer
    },
    space: () => (embedder && dimensions !== undefined ? { model: embedder.model, dimensions } : undefined),
    textsEmbedded: () => texts,
    leftOut: () => generations.flatMap((generation) => shownOf(vectors.leftOut(generation, maxLeftOut))),
    waitedMs,
  }
}

function shownOf({ count, snippets }: ReturnType<Vectors['leftOut']>): Skipped[] {
  const more = count - snippets.length
  return more > 0 ? [...snippets, { path: '…', reason: `${countOf(more, 'more snippet')} without a vector` }] : snippets
}
