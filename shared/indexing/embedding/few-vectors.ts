import type { VectorSpace } from '../../ai/embedder.ts'
import { embeddingPool } from '../../ai/embedding-pool.ts'
import type { MadeVector, VectorUser } from '../../ai/vectors.ts'
import { unlessAborted } from '../../time/unless-aborted.ts'
import type { Embedding } from './embedding-store.ts'
import type { WaitingRow } from './waiting-rows.ts'

/** The limits of one generation, so that it is served hardly later. */
const limits = { texts: 64, ms: 5_000 }

/**
 * Returns a function that makes and stores the vectors of rows, if the generation lacks only a few: that is cheaper than to copy it for them
 * later. After the first failure, or above the limits, it makes none. `onEmbedded` gets the number of texts.
 */
export function fewVectors(
  { embedder, vectors, options }: Embedding,
  { dimensions, model }: VectorSpace,
  signal: AbortSignal,
  onEmbedded: (texts: number) => void,
): (user: VectorUser, rows: WaitingRow[]) => Promise<Map<string, Float32Array>> {
  let left = embedder.model === model ? { ...limits } : { texts: 0, ms: 0 }
  const make = async (texts: Map<string, string>): Promise<MadeVector[]> => {
    const ended = AbortSignal.any([signal, AbortSignal.timeout(Math.ceil(left.ms))])
    const pool = embeddingPool(embedder, ended, { ...options, pausesMs: [] })
    const made = [...texts].map(async ([hash, text]) => {
      let isRefused = false
      const [vector] = await pool.embed([text], () => {
        isRefused = true
      })
      return isRefused || vector?.length !== dimensions ? [] : [{ hash, vector }]
    })
    const outcomes = await Promise.all(made.map((each) => unlessAborted(each, ended).catch(() => undefined)))
    if (outcomes.includes(undefined)) left.texts = 0
    return outcomes.flatMap((each) => each ?? [])
  }
  return async (user, rows) => {
    const texts = new Map(rows.map(({ hash, text }) => [hash, text]))
    if (texts.size > left.texts || left.ms <= 0) left = { texts: 0, ms: 0 }
    if (texts.size === 0 || left.texts === 0) return new Map()
    const beganMs = performance.now()
    left.texts -= texts.size
    const made = await make(texts)
    left.ms -= performance.now() - beganMs
    onEmbedded(made.length)
    await vectors.put(user, made)
    return new Map(made.map(({ hash, vector }) => [hash, vector]))
  }
}
