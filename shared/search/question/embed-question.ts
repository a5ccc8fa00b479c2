import { LRUCache } from 'lru-cache'
import { circuitBreaker } from '../../ai/circuit-breaker.ts'
import { cutToTokens, shorterStarts } from '../../ai/cut-to-tokens.ts'
import type { Embedder, VectorSpace } from '../../ai/embedder.ts'
import { isRefusal, mayTakeOthers } from '../../ai/provider-refusal.ts'
import { unlessAborted } from '../../time/unless-aborted.ts'
import { withTimeout } from '../../time/with-timeout.ts'
import type { Question } from './read-question.ts'

/** A question as a model reads it: without spelling errors, and in English if it is in another language. */
export type MeantQuestion = Pick<Question, 'repaired' | 'english'>

/** The vector of a question, and the weight of its similarities: see `VectorSearch`. */
export type QuestionVector = { vector: Float32Array; weight: number }

/**
 * The vector of a question in the space of a generation. Undefined if the provider fails or is too slow, which `onFailure` reports. Throws only
 * the reason of `signal`.
 */
export type EmbedQuestion = (
  question: MeantQuestion,
  space: VectorSpace,
  signal: AbortSignal,
  onFailure?: (error: unknown) => void,
) => Promise<QuestionVector | undefined>

/** A request in flight, and the number of callers that wait for its vector. */
type PendingVector = { vector: Promise<Float32Array>; callers: number; disconnected: AbortController }

type EmbedQuestionPorts = {
  /** The embedder of this space, if it is still configured. */
  embedderFor(space: VectorSpace): Embedder | undefined
  /** Called for each failure, unless the call passes its own function. */
  onFailure(error: unknown): void
  maxMs: number
  nowMs?: () => number
}

const cacheBytes = 8 * 1024 * 1024
const maxSpaces = 20
const maxRemembered = 100
/** A vector that comes too late for its question is cached for the next identical one. */
const timeoutMs = 10_000
const pauses = { firstMs: 5_000, maxMs: 60_000 }

/**
 * An embedding may take `maxMs`; after that, the search uses text only. After a failure the provider is not used for a while, so that it
 * does not delay every question. A question that the provider rejects, also when it is shorter, is not sent again for a while, and does not count
 * as a failure of the provider. Vectors are cached in memory.
 */
export function questionEmbedder({ embedderFor, onFailure, maxMs, nowMs }: EmbedQuestionPorts): EmbedQuestion {
  const now = nowMs ?? (() => performance.now())
  const cache = new LRUCache<string, Float32Array>({
    maxSize: cacheBytes,
    sizeCalculation: (vector, key) => vector.byteLength + 2 * key.length,
  })
  const pending = new Map<string, PendingVector>()
  const circuits = new LRUCache<string, ReturnType<typeof circuitBreaker>>({ max: maxSpaces })
  const circuitOf = (model: string) => {
    const circuit = circuits.get(model) ?? circuitBreaker({ ...pauses, nowMs: now })
    circuits.set(model, circuit)
    return circuit(model)
  }
  /** The time at which each of these questions may be sent again. */
  const rejected = new LRUCache<string, number>({ max: maxRemembered })
  const isRejected = (key: string) => now() < (rejected.get(key) ?? 0)
  const ask = async (embedder: Embedder, question: string, { dimensions }: VectorSpace, disconnected: AbortSignal) => {
    const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), disconnected])
    const [vector] = await embedAccepted(embedder, cutToTokens(question, embedder.limits.textTokens), signal)
    if (vector?.length === dimensions) return vector
    throw new Error(`The vector of a question has ${vector?.length} numbers, but the library has ${dimensions}.`)
  }

  const start = (key: string, embedder: Embedder, question: string, space: VectorSpace): PendingVector => {
    const disconnected = new AbortController()
    const vector = ask(embedder, question, space, disconnected.signal)
      .then((vector) => {
        cache.set(key, vector)
        return vector
      })
      .finally(() => {
        if (pending.get(key) === started) pending.delete(key)
      })
    const started = { vector, callers: 0, disconnected }
    pending.set(key, started)
    return started
  }

  return async ({ repaired, english }, space, signal, report = onFailure) => {
    const embedder = embedderFor(space)
    if (!embedder) return undefined
    const { weight, readsOnlyEnglish } = embedder.search
    const question = (readsOnlyEnglish ? english : undefined) ?? repaired
    const key = `${space.model} ${space.dimensions} ${question}`
    const cached = cache.get(key)
    if (cached) return { vector: cached, weight }
    if (isRejected(key)) return undefined
    const attempt = circuitOf(space.model)
    if (!attempt) return undefined
    const request = pending.get(key) ?? start(key, embedder, question, space)
    request.callers += 1
    try {
      const vector = await unlessAborted(
        withTimeout('Embedding a question', maxMs, () => request.vector),
        signal,
      )
      attempt.passed()
      return { vector, weight }
    } catch (error) {
      if (signal.aborted) {
        attempt.abandoned()
        request.callers -= 1
        if (request.callers === 0) {
          pending.delete(key)
          request.disconnected.abort(signal.reason)
        }
        throw signal.reason
      }
      if (!mayTakeOthers(error)) attempt.failed()
      else if (!isRejected(key)) attempt.rejected()
      if (mayTakeOthers(error)) rejected.set(key, now() + pauses.maxMs)
      report(error)
      return undefined
    }
  }
}

/** The vector of a question, or of its start if the provider rejects all of it. */
async function embedAccepted(embedder: Embedder, question: string, signal: AbortSignal): Promise<Float32Array[]> {
  const shorter = shorterStarts(question)
  for (let text = question; ; ) {
    try {
      return await embedder.embed([text], 'query', signal)
    } catch (error) {
      const next = isRefusal(error) ? shorter.next() : undefined
      if (next === undefined || next.done) throw error
      text = next.value
    }
  }
}
