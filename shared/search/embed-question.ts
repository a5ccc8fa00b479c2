import { LRUCache } from 'lru-cache'
import { circuit } from '../ai/circuit.ts'
import type { Embedder, VectorSpace } from '../ai/embedder.ts'
import { inTime } from '../in-time.ts'

/** The vector of a question among those of a generation; undefined where its provider cannot say in time. Never throws. */
export type EmbedQuestion = (question: string, space: VectorSpace) => Promise<Float32Array | undefined>

type Ports = {
  /** The embedder whose vectors these are, where it can be reached. */
  embedderFor(space: VectorSpace): Embedder | undefined
  /** Is told of each failure. */
  onFailure(error: unknown): void
  mostMs: number
  nowMs?: () => number
}

const keptBytes = 8 * 1024 * 1024
const mostSpaces = 20
/** An answer that comes too late for its own question is there for the next one that asks the same. */
const givenUpMs = 10_000
const pauses = { firstMs: 5_000, longestMs: 60_000 }

/**
 * Questions have `mostMs`, then text alone answers; after a failure the provider is left alone for a while, so that it does not cost every
 * question its time. What was asked is kept in memory for whoever asks it again.
 */
export function questionEmbedder({ embedderFor, onFailure, mostMs, nowMs }: Ports): EmbedQuestion {
  const known = new LRUCache<string, Float32Array>({
    maxSize: keptBytes,
    sizeCalculation: (vector, key) => vector.byteLength + 2 * key.length,
  })
  const underWay = new Map<string, Promise<Float32Array>>()
  const circuits = new LRUCache<string, ReturnType<typeof circuit>>({ max: mostSpaces })
  const circuitOf = (model: string) => {
    const its = circuits.get(model) ?? circuit({ ...pauses, ...(nowMs && { nowMs }) })
    circuits.set(model, its)
    return its(model)
  }
  const ask = async (embedder: Embedder, question: string, { dimensions }: VectorSpace) => {
    const [vector] = await embedder.embed([question], 'query', AbortSignal.timeout(givenUpMs))
    if (vector?.length === dimensions) return vector
    throw new Error(`The vector of a question has ${vector?.length} numbers where the library has ${dimensions}.`)
  }

  return async (question, space) => {
    const embedder = embedderFor(space)
    if (!embedder) return undefined
    const key = `${space.model} ${space.dimensions} ${question}`
    const kept = known.get(key)
    if (kept) return kept
    const attempt = circuitOf(space.model)
    if (!attempt) return undefined
    const asked =
      underWay.get(key) ??
      ask(embedder, question, space)
        .then((vector) => {
          known.set(key, vector)
          return vector
        })
        .finally(() => underWay.delete(key))
    underWay.set(key, asked)
    try {
      const vector = await inTime(asked, mostMs, 'the embedding of a question')
      attempt.passed()
      return vector
    } catch (error) {
      attempt.failed()
      onFailure(error)
      return undefined
    }
  }
}
