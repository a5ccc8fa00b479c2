import { AppError } from '../errors.ts'
import { countTokens } from '../text/count-tokens.ts'
import { cutToTokens } from './cut-to-tokens.ts'
import type { Embedder } from './embedder.ts'
import { partsEmbedder, type WaitingText } from './parts-embedder.ts'
import { type RetryPolicy, retryPolicy, withRetries } from './retry-policy.ts'
import { type SuspectsOf, suspectTexts } from './suspect-texts.ts'

export type EmbeddingPool = {
  /**
   * The vectors of the texts, in their order. Call it again before it returns: calls share their requests, and only a pool that is never
   * empty keeps its provider busy. A text that the provider does not take has a zero vector; `onRefusal` gets its place and the reason. Throws the
   * error that remains after all retries; the pool cannot be used after that.
   */
  embed(texts: string[], onRefusal?: (at: number, refusal: AppError) => void): Promise<Float32Array[]>
  /** Adds a text that the model accepted in an earlier run: a model that accepts it again works. */
  addAccepted(text: string): void
}

export type PoolOptions = Partial<RetryPolicy> & {
  suspects?: SuspectsOf
  /** When it aborts, nothing more is sent. Texts without a vector are rejected with its reason as soon as the requests in flight have ended. */
  pause?: AbortSignal
}

type Waiting = WaitingText & { reject(error: unknown): void }

/** Sends texts to an embedder in batches, as large and as many in parallel as its limits allow. Cuts texts, retries, and keeps the order. */
export function embeddingPool(
  embedder: Embedder,
  signal?: AbortSignal,
  { suspects: suspectsOf = suspectTexts(), pause, ...retries }: PoolOptions = {},
): EmbeddingPool {
  const { batchTexts, batchTokens, textTokens, requestsAtOnce } = embedder.limits
  const suspects = suspectsOf(embedder.model)
  const queue: Waiting[] = []
  const unresolved = new Set<Waiting>()
  const broken = new AbortController()
  const ended = signal === undefined ? broken.signal : AbortSignal.any([signal, broken.signal])
  let running = 0
  let isAlone = false
  let maxTexts = batchTexts
  let allowed = requestsAtOnce
  let failure: { error: unknown } | undefined

  /** Halves the concurrency if the provider asks for fewer requests, then raises it slowly. */
  const embed = async (texts: string[]): Promise<Float32Array[]> => {
    try {
      const vectors = await embedder.embed(texts, 'document', ended)
      allowed = Math.min(requestsAtOnce, allowed + 0.2)
      return vectors
    } catch (error) {
      if (error instanceof AppError && error.code === 'rate_limit_exceeded') allowed = Math.max(1, allowed / 2)
      throw error
    }
  }
  const policy = { ...retryPolicy, ...retries }
  const onTooLarge = (texts: number) => {
    maxTexts = Math.min(maxTexts, texts)
  }
  const ports = { embed, dimensions: () => embedder.dimensions, tries: withRetries(policy, ended), suspects, onTooLarge }
  const parts = partsEmbedder(ports, policy.pausesMs.length + 1)

  const isSuspect = ({ text }: Waiting) => suspects.maxTexts(text) !== undefined
  const nextBatch = (): Waiting[] => {
    const areSuspect = queue[0] !== undefined && isSuspect(queue[0])
    let tokens = 0
    let count = 0
    let max = maxTexts
    for (const waiting of queue) {
      tokens += countTokens(waiting.text)
      max = Math.min(max, suspects.maxTexts(waiting.text) ?? max)
      if (count > 0 && (count >= max || tokens > batchTokens || isSuspect(waiting) !== areSuspect)) break
      count += 1
    }
    return queue.splice(0, count)
  }
  const fail = (error: unknown) => {
    failure ??= { error }
    broken.abort()
    queue.length = 0
    for (const { reject } of unresolved) reject(failure.error)
    unresolved.clear()
  }
  const run = async (batch: Waiting[]) => {
    await parts.embed(batch).catch(fail)
    running -= 1
    isAlone = false
    pump()
  }
  const pump = () => {
    if (pause?.aborted) {
      if (running === 0) fail(pause.reason)
      return
    }
    while (queue[0] && running < Math.floor(allowed) && !isAlone) {
      // Nothing else is sent meanwhile, so that no other text is blamed if the provider goes down.
      isAlone = isSuspect(queue[0])
      if (isAlone && running > 0) break
      running += 1
      void run(nextBatch())
    }
    const doubt = running === 0 ? parts.doubt() : undefined
    if (doubt) fail(doubt)
  }
  pause?.addEventListener('abort', pump, { once: true, signal: ended })
  const add = (text: string, onRefusal: (refusal: AppError) => void): Promise<Float32Array> =>
    new Promise((resolve, reject) => {
      const waiting: Waiting = {
        text: cutToTokens(text, textTokens),
        resolve(vector, refusal) {
          unresolved.delete(waiting)
          if (refusal) onRefusal(refusal)
          resolve(vector)
        },
        reject,
      }
      unresolved.add(waiting)
      queue.push(waiting)
    })

  return {
    async embed(texts, onRefusal = () => undefined) {
      if (failure) throw failure.error
      signal?.throwIfAborted()
      const added = texts.map((text, at) => add(text, (refusal) => onRefusal(at, refusal)))
      // Calls in one turn of the event loop share their batches.
      setImmediate(pump)
      return Promise.all(added)
    },
    addAccepted: (text) => parts.addAccepted(cutToTokens(text, textTokens)),
  }
}
