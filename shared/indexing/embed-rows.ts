import { createHash } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import type { Embedder, EmbedderLimits } from '../ai/embedder.ts'
import { embeddingPool } from '../ai/embedding-pool.ts'
import type { MadeVector } from '../ai/vectors.ts'
import { AppError } from '../errors.ts'
import type { SnippetRow } from '../search/snippet-store.ts'

/** A row on its way: it is written once its vector is there. */
export type WaitingRow = { row: SnippetRow; text: string; hash: string; vector: Float32Array | undefined }

export type RowEmbedder = {
  /** Takes rows that have no vector yet. */
  request(rows: WaitingRow[]): void
  /** Resolves when some more rows have theirs; rejects with what made embedding fail. */
  next(): Promise<void>
  /** Gives up what is under way, and waits for that. */
  end(): Promise<void>
}

/** Of rows in flight, so that memory stays flat; at half of them the provider has all the requests that it allows. */
const maxRows = 8192
const minRows = 1024

export const rowsInFlight = ({ batchTexts, requestsAtOnce }: EmbedderLimits): number =>
  Math.min(maxRows, Math.max(minRows, 2 * batchTexts * requestsAtOnce))

/** What a row says, as the model reads it. */
const textOf = ({ breadcrumb, content }: SnippetRow): string => `${breadcrumb.join(' > ')}\n${content}`

export const waitingRow = (row: SnippetRow): WaitingRow => {
  const text = textOf(row)
  return { row, text, hash: createHash('sha256').update(text).digest('hex').slice(0, 32), vector: undefined }
}

/** Embeds rows as fast as the provider allows; `keep` stores their vectors, one request's at once, before the rows have them. */
export function embedRows(embedder: Embedder, keep: (made: MadeVector[]) => Promise<void>, signal: AbortSignal): RowEmbedder {
  const ending = new AbortController()
  const pool = embeddingPool(embedder, AbortSignal.any([signal, ending.signal]))
  const underWay = new Set<Promise<void>>()
  let arrived: { row: WaitingRow; vector: Float32Array }[] = []
  let failed: { error: unknown } | undefined
  let next = Promise.withResolvers<void>()

  const follow = (work: Promise<void>) => {
    const followed: Promise<void> = work
      .catch((error: unknown) => {
        failed ??= { error: asPatient(error) }
        tell()
      })
      .finally(() => underWay.delete(followed))
    underWay.add(followed)
  }
  const tell = () => {
    next.resolve()
    next = Promise.withResolvers()
  }
  const store = async () => {
    const answered = arrived
    arrived = []
    await keep(answered.map(({ row: { hash }, vector }) => ({ hash, vector })))
    for (const { row, vector } of answered) row.vector = vector
    tell()
  }
  const embed = async (row: WaitingRow) => {
    const [vector] = await pool.embed([row.text])
    if (arrived.length === 0) follow(turn().then(store))
    arrived.push({ row, vector: vector as Float32Array })
  }
  return {
    request(rows) {
      for (const row of rows) follow(embed(row))
    },
    async next() {
      if (!failed) await next.promise
      if (failed) throw failed.error
    },
    async end() {
      ending.abort()
      while (underWay.size > 0) await Promise.all(underWay)
    },
  }
}

/** Asks the provider for one vector: after a failure that is cheaper than a run. Throws what embedding would. */
export async function checkEmbedder(embedder: Embedder | undefined, signal: AbortSignal): Promise<void> {
  await embedder?.embed(['Does it answer?'], 'query', signal).catch((error: unknown) => Promise.reject(asPatient(error)))
}

/** A provider that is away comes back: however long that takes, the job waits for it. */
function asPatient(error: unknown): unknown {
  if (!(error instanceof AppError) || !error.transient) return error
  const { code, message, retryAfterMs, shown } = error
  return new AppError(code, message, { cause: error, transient: true, patient: true, retryAfterMs, shown })
}
