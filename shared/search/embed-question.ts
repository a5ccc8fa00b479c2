import { LRUCache } from 'lru-cache'
import { circuit } from '../ai/circuit.ts'
import type { Embedder, VectorSpace } from '../ai/embedder.ts'
import { unlessAborted } from '../time/unless-aborted.ts'
import { withTimeout } from '../time/with-timeout.ts'

/** The vector of a question among those of a generation; undefined where its provider cannot say in time. Throws nothing but the reason of `signal`. */
export type EmbedQuestion = (question: string, space: VectorSpace, signal: AbortSignal) => Promise<Float32Array | undefined>

/** A question on its way to a provider, and how many callers still want its vector. */
type UnderWay = { vector: Promise<Float32Array>; callers: number; hungUp: AbortController }

type EmbedQuestionPorts = {
  /** The embedder whose vectors these are, where it can be reached. */
  embedderFor(space: VectorSpace): Embedder | undefined
  /** Is told of each failure. */
  onFailure(error: unknown): void
  maxMs: number
  nowMs?: () => number
}

const keptBytes = 8 * 1024 * 1024
const maxSpaces = 20
/** An answer that comes too late for its own question is there for the next one that asks the same. */
const givenUpMs = 10_000
const pauses = { firstMs: 5_000, maxMs: 60_000 }

/**
 * Questions have `maxMs`, then text alone answers; after a failure the provider is left alone for a while, so that it does not cost every
 * question its time. What was asked is kept in memory for whoever asks it again.
 */
export function questionEmbedder({ embedderFor, onFailure, maxMs, nowMs }: EmbedQuestionPorts): EmbedQuestion {
  const known = new LRUCache<string, Float32Array>({
    maxSize: keptBytes,
    sizeCalculation: (vector, key) => vector.byteLength + 2 * key.length,
  })
  const underWay = new Map<string, UnderWay>()
  const circuits = new LRUCache<string, ReturnType<typeof circuit>>({ max: maxSpaces })
  const circuitOf = (model: string) => {
    const its = circuits.get(model) ?? circuit({ ...pauses, ...(nowMs && { nowMs }) })
    circuits.set(model, its)
    return its(model)
  }
  const ask = async (embedder: Embedder, question: string, { dimensions }: VectorSpace, hungUp: AbortSignal) => {
    const signal = AbortSignal.any([AbortSignal.timeout(givenUpMs), hungUp])
    const [vector] = await embedder.embed([question], 'query', signal)
    if (vector?.length === dimensions) return vector
    throw new Error(`The vector of a question has ${vector?.length} numbers where the library has ${dimensions}.`)
  }

  const begin = (key: string, embedder: Embedder, question: string, space: VectorSpace): UnderWay => {
    const hungUp = new AbortController()
    const vector = ask(embedder, question, space, hungUp.signal)
      .then((vector) => {
        known.set(key, vector)
        return vector
      })
      .finally(() => {
        if (underWay.get(key) === begun) underWay.delete(key)
      })
    const begun = { vector, callers: 0, hungUp }
    underWay.set(key, begun)
    return begun
  }

  return async (question, space, signal) => {
    const embedder = embedderFor(space)
    if (!embedder) return undefined
    const key = `${space.model} ${space.dimensions} ${question}`
    const kept = known.get(key)
    if (kept) return kept
    const attempt = circuitOf(space.model)
    if (!attempt) return undefined
    const asked = underWay.get(key) ?? begin(key, embedder, question, space)
    asked.callers += 1
    try {
      const vector = await unlessAborted(
        withTimeout('Embedding a question', maxMs, () => asked.vector),
        signal,
      )
      attempt.passed()
      return vector
    } catch (error) {
      if (signal.aborted) {
        attempt.abandoned()
        asked.callers -= 1
        if (asked.callers === 0) {
          underWay.delete(key)
          asked.hungUp.abort(signal.reason)
        }
        throw signal.reason
      }
      attempt.failed()
      onFailure(error)
      return undefined
    }
  }
}
