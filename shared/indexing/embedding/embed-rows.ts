import { setImmediate as turn } from 'node:timers/promises'
import { controlText } from '../../ai/controlled-requests.ts'
import type { Embedder, EmbedderLimits } from '../../ai/embedder.ts'
import { embeddingPool, type PoolOptions } from '../../ai/embedding-pool.ts'
import { isRefusal } from '../../ai/provider-refusal.ts'
import type { LeftOut, MadeVector } from '../../ai/vectors.ts'
import { AppError, isTransient } from '../../errors.ts'
import { visibleText } from '../../text/visible-text.ts'
import { maxWaitMs } from '../../time/job-pauses.ts'
import type { WaitingRow } from './waiting-rows.ts'

type ArrivedRow = { row: WaitingRow; vector: Float32Array; refusal: AppError | undefined }

export type RowEmbedder = {
  /** Requests vectors for rows that have none, once for rows with the same text. */
  request(rows: WaitingRow[]): void
  /** Adds a row that has its vector of this model already. */
  addAccepted(row: WaitingRow): void
  /** Resolves when more rows have their vectors; rejects with the error if embedding failed. */
  next(): Promise<void>
  /** Aborts pending requests and waits for them to end. */
  end(): Promise<void>
}

/** Bounds of the rows in flight, so that memory stays flat; half of `rowsInFlight` keeps the provider fully used. */
const maxRows = 8192
const minRows = 1024

/** Characters of the headings that name a snippet in a report. */
const maxHeadings = 200

export const rowsInFlight = ({ batchTexts, requestsAtOnce }: EmbedderLimits): number =>
  Math.min(maxRows, Math.max(minRows, 2 * batchTexts * requestsAtOnce))

export type StoreRows = {
  /** Stores the vectors of a request, before the rows get them. */
  made(vectors: MadeVector[]): Promise<void>
  /** Records rows of which the provider makes no vectors. They get zero vectors of this length. */
  leftOut(snippets: LeftOut[], dimensions: number): Promise<void>
}

/** Embeds rows as fast as the provider allows. */
export function embedRows(embedder: Embedder, store: StoreRows, signal: AbortSignal, options: PoolOptions): RowEmbedder {
  const ending = new AbortController()
  const pool = embeddingPool(embedder, AbortSignal.any([signal, ending.signal]), options)
  const underWay = new Set<Promise<void>>()
  /** The rows that wait for the vector of a text, by its hash. */
  const waiting = new Map<string, WaitingRow[]>()
  let arrived: ArrivedRow[] = []
  let failed: { error: unknown } | undefined
  let progressed = Promise.withResolvers<void>()

  const track = (work: Promise<void>) => {
    const tracked: Promise<void> = work
      .catch((error: unknown) => {
        failed ??= { error: error === options.pause?.reason ? error : asErrorOfJob(error) }
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
    const [made, leftOut] = [arrivedNow.filter(({ refusal }) => !refusal), arrivedNow.filter(({ refusal }) => refusal)]
    if (made.length > 0) await store.made(made.map(({ row: { hash }, vector }) => ({ hash, vector })))
    const [first] = leftOut
    if (first) await store.leftOut(leftOut.map(asLeftOut), first.vector.length)
    for (const { row, vector } of arrivedNow) {
      for (const each of waiting.get(row.hash) ?? []) each.vector = vector
      waiting.delete(row.hash)
    }
    notify()
  }
  const embed = async (row: WaitingRow) => {
    let refusal: AppError | undefined
    const [vector] = await pool.embed([row.text], (_, why) => {
      refusal = why
    })
    if (arrived.length === 0) track(turn().then(storeArrived))
    arrived.push({ row, vector: vector as Float32Array, refusal })
  }
  return {
    request(rows) {
      for (const row of rows) {
        const same = waiting.get(row.hash)
        same?.push(row)
        if (same) continue
        waiting.set(row.hash, [row])
        track(embed(row))
      }
    },
    addAccepted: ({ text }) => pool.addAccepted(text),
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

/** The text begins with the headings. */
const asLeftOut = ({ row: { hash, path, text }, refusal }: ArrivedRow): LeftOut => {
  const headings = text.slice(0, Math.min(text.indexOf('\n'), maxHeadings))
  return {
    hash,
    path: visibleText(headings === '' ? path : `${path}: ${headings}`),
    reason: `has no vector and is found only by its words: ${refusal?.message}`,
  }
}

/** Requests one vector: cheaper than a run that may fail again. Throws what embedding throws, unless the provider only rejects the text. */
export async function checkEmbedder(embedder: Embedder | undefined, signal: AbortSignal): Promise<void> {
  await embedder?.embed([controlText], 'query', signal).catch((error: unknown) => {
    if (!isRefusal(error)) throw asErrorOfJob(error)
  })
}

/**
 * A provider that is down comes back, and one that rejects the key or every text gets other settings: the job waits, however long that takes.
 * A request cannot change settings, so the second is asked less often.
 */
function asErrorOfJob(error: unknown): unknown {
  if (!(error instanceof AppError)) return error
  const { code, message } = error
  const retryAfterMs = isTransient(error) ? error.retryAfterMs : maxWaitMs
  const sentences = isRefusal(error) ? `${message} ${rejectsAll}` : message
  return new AppError(code, sentences, { cause: error, retry: 'unlimited', retryAfterMs })
}

const rejectsAll = 'It accepts no other text either. Check embedding.model, embedding.baseUrl and embedding.dimensions.'
