import { AppError } from '../errors.ts'
import { countTokens } from '../text/count-tokens.ts'
import { cutToTokens, firstHalf } from './cut-to-tokens.ts'
import type { Embedder } from './embedder.ts'
import { type RetryPolicy, retryPolicy, withRetries } from './retry-policy.ts'

export type EmbeddingPool = {
  /**
   * The vectors of the texts, in their order. Call it again before it returns: calls share their requests, and only a pool that is never
   * empty keeps its provider busy. Throws the error that remains after all retries; the pool cannot be used after that.
   */
  embed(texts: string[]): Promise<Float32Array[]>
}

type Waiting = { text: string; resolve(vector: Float32Array): void; reject(error: unknown): void }

/** Sends texts to an embedder in batches, as large and as many at once as its limits allow. Cuts texts, retries, and keeps the order. */
export function embeddingPool(
  embedder: Embedder,
  signal?: AbortSignal,
  { purpose = 'document', ...retries }: Partial<RetryPolicy> & { purpose?: 'document' | 'query' } = {},
): EmbeddingPool {
  const { batchTexts, batchTokens, textTokens, requestsAtOnce } = embedder.limits
  const queue: Waiting[] = []
  const broken = new AbortController()
  const ended = signal === undefined ? broken.signal : AbortSignal.any([signal, broken.signal])
  const tries = withRetries({ ...retryPolicy, ...retries }, ended)
  let running = 0
  let allowed = requestsAtOnce
  let failure: { error: unknown } | undefined

  const nextBatch = (): Waiting[] => {
    let tokens = 0
    let count = 0
    for (const { text } of queue) {
      tokens += countTokens(text)
      if (count > 0 && (count === batchTexts || tokens > batchTokens)) break
      count += 1
    }
    return queue.splice(0, count)
  }
  const fail = (error: unknown, batch: Waiting[]) => {
    failure ??= { error }
    broken.abort()
    for (const { reject } of [...batch, ...queue.splice(0)]) reject(failure.error)
  }
  const run = async (batch: Waiting[]) => {
    try {
      const vectors = await embedFitting(batch.map(({ text }) => text))
      for (const [at, { resolve }] of batch.entries()) resolve(vectors[at] as Float32Array)
    } catch (error) {
      fail(error, batch)
    } finally {
      running -= 1
      pump()
    }
  }
  /** Halves the concurrency if the provider asks for fewer requests, then raises it slowly. */
  const ask = async (texts: string[]): Promise<Float32Array[]> => {
    try {
      const vectors = await embedder.embed(texts, purpose, ended)
      allowed = Math.min(requestsAtOnce, allowed + 0.2)
      return vectors
    } catch (error) {
      if (error instanceof AppError && error.code === 'rate_limit_exceeded') allowed = Math.max(1, allowed / 2)
      throw error
    }
  }
  /** Splits a batch that is rejected as too large, and cuts a single text in half. */
  const embedFitting = async (texts: string[]): Promise<Float32Array[]> => {
    try {
      return await tries(() => ask(texts))
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'payload_too_large') throw error
      const [only] = texts
      const half = Math.ceil(texts.length / 2)
      if (texts.length > 1) return [...(await embedFitting(texts.slice(0, half))), ...(await embedFitting(texts.slice(half)))]
      if (only === undefined || only.length < 2) throw error
      return embedFitting([firstHalf(only)])
    }
  }
  const pump = () => {
    while (queue.length > 0 && running < Math.floor(allowed)) {
      running += 1
      void run(nextBatch())
    }
  }

  return {
    async embed(texts) {
      if (failure) throw failure.error
      signal?.throwIfAborted()
      const cut = texts.map((text) => cutToTokens(text, textTokens))
      const vectors = cut.map((text) => new Promise<Float32Array>((resolve, reject) => queue.push({ text, resolve, reject })))
      // Calls in one turn of the event loop share their batches.
      setImmediate(pump)
      return Promise.all(vectors)
    },
  }
}
