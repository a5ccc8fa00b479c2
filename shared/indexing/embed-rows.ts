import { createHash } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import type { Embedder, EmbedderLimits } from '../ai/embedder.ts'
import { embeddingPool } from '../ai/embedding-pool.ts'
import type { MadeVector } from '../ai/vectors.ts'
import { AppError } from '../errors.ts'
import type { SnippetRow } from '../search/snippet-store.ts'

/** A row that waits for its vector. */
export type WaitingRow = { text: string; hash: string; vector: Float32Array | undefined }

export type RowEmbedder = {
  /** Requests vectors for rows that have none. */
  request(rows: WaitingRow[]): void
  /** Resolves when more rows have their vectors; rejects with the error if embedding failed. */
  next(): Promise<void>
  /** Aborts pending requests and waits for them to end. */
  end(): Promise<void>
}

/** Bounds of the rows in flight, so that memory stays flat; half of `rowsInFlight` keeps the provider fully used. */
const maxRows = 8192
const minRows = 1024

export const rowsInFlight = ({ batchTexts, requestsAtOnce }: EmbedderLimits): number =>
  Math.min(maxRows, Math.max(minRows, 2 * batchTexts * requestsAtOnce))

const textOf = ({ breadcrumb, content }: SnippetRow): string => `${breadcrumb.join(' > ')}\n${content}`

export const waitingRow = (row: SnippetRow): WaitingRow => {
  const text = textOf(row)
  return { text, hash: createHash('sha256').update(text).digest('hex').slice(0, 32), vector: undefined }
}

/** Embeds rows as fast as the provider allows. `store` stores the vectors of each request before the rows get them. */
export function embedRows(embedder: Embedder, store: (made: MadeVector[]) => Promise<void>, signal: AbortSignal): RowEmbedder {
  const ending = new AbortController()
  const pool = embeddingPool(embedder, AbortSignal.any([signal, ending.signal]))
  const underWay = new Set<Promise<void>>()
  let arrived: { row: WaitingRow; vector: Float32Array }[] = []
  let failed: { error: unknown } | undefined
  let progressed = Promise.withResolvers<void>()

  const track = (work: Promise<void>) => {
    const tracked: Promise<void> = work
      .catch((error: unknown) => {
        failed ??= { error: asPatient(error) }
        notify()
      })
      .finally(() => underWay.delete(tracked))
    underWay.add(tracked)
  }
  const notify = () => {
    progressed.resolve()
    progressed = Promise.withResolvers()
  }
  const storeArrived = async () => {
    const arrivedNow = arrived
    arrived = []
    await store(arrivedNow.map(({ row: { hash }, vector }) => ({ hash, vector })))
    for (const { row, vector } of arrivedNow) row.vector = vector
    notify()
  }
  const embed = async (row: WaitingRow) => {
    const [vector] = await pool.embed([row.text])
    if (arrived.length === 0) track(turn().then(storeArrived))
    arrived.push({ row, vector: vector as Float32Array })
  }
  return {
    request(rows) {
      for (const row of rows) track(embed(row))
    },
    async next() {
      if (!failed) await progressed.promise
      if (failed) throw failed.error
    },
    async end() {
      ending.abort()
      while (underWay.size > 0) await Promise.all(underWay)
    },
  }
}

/** Requests one vector: cheaper than a run that may fail again. Throws what embedding throws. */
export async function checkEmbedder(embedder: Embedder | undefined, signal: AbortSignal): Promise<void> {
  await embedder?.embed(['Does it answer?'], 'query', signal).catch((error: unknown) => Promise.reject(asPatient(error)))
}

/** A provider that is down comes back: the job waits for it however long that takes. */
function asPatient(error: unknown): unknown {
  if (!(error instanceof AppError) || !error.transient) return error
  const { code, message, retryAfterMs, shown } = error
  return new AppError(code, message, { cause: error, transient: true, patient: true, retryAfterMs, shown })
}
