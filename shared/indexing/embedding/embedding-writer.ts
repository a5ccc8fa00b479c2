import type { Embedder } from '../../ai/embedder.ts'
import type { PoolOptions } from '../../ai/embedding-pool.ts'
import type { Vectors, VectorUser } from '../../ai/vectors.ts'
import { AppError } from '../../errors.ts'
import { packRows, unpackRows } from '../../search/rows/pack-rows.ts'
import type { GenerationWriter } from '../../search/rows/snippet-store.ts'
import { embedRows, rowsInFlight } from './embed-rows.ts'
import { waitingRow, waitingRows } from './waiting-rows.ts'

/** The figures of one run, over all generations that it writes. */
export type EmbeddingFigures = {
  /** The length of all vectors, once it is known. */
  dimensions: number | undefined
  textsEmbedded: number
}

export type EmbeddingProgress = {
  /** Gets the number of texts of the run before their vectors are stored. */
  onEmbedded?: ((texts: number) => void) | undefined
  /** Gets the number of rows of the generation that have been written with their vectors, including those of an interrupted run. */
  onWritten?: ((rows: number) => void) | undefined
}

export type EmbeddingWriter = GenerationWriter & {
  /** Waits until all added rows are written with their vectors. */
  drain(): Promise<void>
  /** Aborts pending requests, and waits until the vectors that have arrived are stored. */
  end(): Promise<void>
}

export type EmbeddingWriterPorts = {
  writer: GenerationWriter
  embedder: Embedder
  vectors: Vectors
  user: VectorUser
  options: PoolOptions
  signal: AbortSignal
} & EmbeddingProgress

/** Rows per lookup in the store of vectors. */
const lookupRows = 200
const maxBytes = 32 * 1024 * 1024

/** Writes each row with its vector, in the order in which the rows are added. Keeps `figures` up to date. */
export function embeddingWriter(ports: EmbeddingWriterPorts, figures: EmbeddingFigures): EmbeddingWriter {
  const { writer, embedder, vectors, user, options, signal, onEmbedded, onWritten } = ports
  const maxRows = rowsInFlight(embedder.limits)
  let { written } = writer
  const waiting = waitingRows()
  const requests = embedRows(
    embedder,
    {
      async made(made) {
        for (const { vector } of made) checkLength(vector, figures)
        figures.textsEmbedded += made.length
        onEmbedded?.(figures.textsEmbedded)
        await vectors.put(user, made)
      },
      async leftOut(snippets, length) {
        figures.dimensions ??= length
        await vectors.leaveOut(user, snippets)
      },
    },
    signal,
    options,
  )
  /** Takes the stored vectors of the unseen rows, and requests the others. */
  const lookUp = async () => {
    const rows = waiting.takeUnseen()
    const hashes = rows.map(({ hash }) => hash)
    const stored = await vectors.take(user, hashes, figures.dimensions)
    for (const row of rows) {
      row.vector = stored.get(row.hash)
      if (row.vector) checkLength(row.vector, figures)
    }
    waiting.addSeen(rows)
    for (const row of rows) if (row.vector) requests.addAccepted(row)
    requests.request(rows.filter(({ vector }) => vector === undefined))
  }
  const writeReady = async () => {
    for (const batch of waiting.takeReady()) {
      await writer.add(batch)
      written += batch.length
    }
    onWritten?.(written)
  }
  /** Waits until at most `maxLeft` rows and `maxBytesLeft` are pending. */
  const drain = async (maxLeft: number, maxBytesLeft: number) => {
    await writeReady()
    while (waiting.seen() > maxLeft || (waiting.bytes() > maxBytesLeft && waiting.seen() > 0)) {
      signal.throwIfAborted()
      // Vectors may have arrived while the table was written.
      if (waiting.isBlocked()) await requests.next()
      await writeReady()
    }
  }
  const drainAll = async () => {
    await lookUp()
    await drain(0, 0)
  }
  return {
    written: writer.written,
    async add(rows) {
      waiting.addBatch(Array.isArray(rows) ? packRows(rows) : rows)
      for (const row of Array.isArray(rows) ? rows : unpackRows(rows)) {
        waiting.add(waitingRow(row))
        if (waiting.unseen() < lookupRows && waiting.bytes() < maxBytes) continue
        await lookUp()
        await drain(maxRows, maxBytes)
      }
    },
    drain: drainAll,
    async finish(statistics, origins) {
      await drainAll()
      await writer.finish(statistics, origins)
    },
    end: requests.end,
    async abort() {
      await requests.end()
      await writer.abort()
    },
  }
}

function checkLength({ length }: Float32Array, figures: EmbeddingFigures): void {
  figures.dimensions ??= length
  if (length === figures.dimensions) return
  const message = `The embedding provider returned a vector of ${length} numbers; the others have ${figures.dimensions}.`
  throw new AppError('provider_unavailable', message, { retry: 'limited' })
}
