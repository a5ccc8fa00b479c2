import { LRUCache } from 'lru-cache'
import { circuitBreaker } from '../../ai/circuit-breaker.ts'
import { mayTakeOthers } from '../../ai/provider-refusal.ts'
import { unlessAborted } from '../../time/unless-aborted.ts'
import { withTimeout } from '../../time/with-timeout.ts'
import type { RankedRow } from '../ranking/rank.ts'
import type { SnippetRow } from '../rows/snippet-store.ts'

/** A model that orders the best candidates of a question. */
export type Reranker = {
  /** Differs between models. */
  model: string
  /** Questions at the same time. */
  requestsAtOnce: number
  maxCandidates: number
  /** The places of candidates in the list, the best first; unknown places are ignored. Throws AppError with one sentence. */
  order(question: string, candidates: SnippetRow[], signal: AbortSignal): Promise<number[]>
}

/**
 * Reorders ranked rows, best first, without adding or dropping any. On failure, which `onFailure` reports, it keeps the order. Throws only the
 * reason of `signal`.
 */
export type Rerank = (
  question: string,
  generation: string,
  ranked: RankedRow[],
  signal: AbortSignal,
  onFailure?: (error: unknown) => void,
) => Promise<RankedRow[]>

type RerankPorts = {
  /** Returns undefined if none is set. */
  reranker(): Reranker | undefined
  /** Called for each failure, unless the call passes its own function. */
  onFailure(error: unknown): void
  maxMs: number
  nowMs?: () => number
}

const cachedAnswers = 1_000
const pauses = { firstMs: 10_000, maxMs: 5 * 60_000 }

/**
 * Asks a model in which order the best candidates answer the question. It may take `maxMs`; after a failure it is not used for a while.
 * Questions above its concurrency keep their order.
 */
export function rerankWith({ reranker, onFailure, maxMs, nowMs }: RerankPorts): Rerank {
  const cachedOrders = new LRUCache<string, string[]>({ max: cachedAnswers })
  const mayAsk = circuitBreaker({ ...pauses, nowMs })
  let underWay = 0

  const ask = async (
    model: Reranker,
    question: string,
    candidates: RankedRow[],
    signal: AbortSignal,
    report: (error: unknown) => void,
  ): Promise<string[] | undefined> => {
    const use = underWay < model.requestsAtOnce ? mayAsk(model.model) : undefined
    if (!use) return undefined
    underWay += 1
    try {
      const order = await withTimeout('Reranking', maxMs, (late) => {
        const ended = AbortSignal.any([late, signal])
        const rows = candidates.map(({ row }) => row)
        return unlessAborted(model.order(question, rows, ended), ended)
      })
      use.passed()
      return [...new Set(order)].flatMap((place) => candidates[place]?.row.id ?? [])
    } catch (error) {
      if (signal.aborted) {
        use.abandoned()
        throw signal.reason
      }
      if (mayTakeOthers(error)) use.rejected()
      else use.failed()
      report(error)
      return undefined
    } finally {
      underWay -= 1
    }
  }

  return async (question, generation, ranked, signal, report = onFailure) => {
    const model = readReranker(reranker, report)
    const candidates = model ? ranked.slice(0, model.maxCandidates) : []
    if (!model || candidates.length < 2) return ranked
    const key = JSON.stringify([model.model, generation, question])
    const order = cachedOrders.get(key) ?? (await ask(model, question, candidates, signal, report))
    if (!order) return ranked
    cachedOrders.set(key, order)
    return reordered(ranked, order)
  }
}

/** Reading its key may fail. */
export function readReranker(reranker: RerankPorts['reranker'], onFailure: RerankPorts['onFailure']): Reranker | undefined {
  try {
    return reranker()
  } catch (error) {
    onFailure(error)
    return undefined
  }
}

/** The rows in `order` first, then the others in their old order. Each gets the score of its new place. */
function reordered(ranked: RankedRow[], order: string[]): RankedRow[] {
  const byId = new Map(ranked.map((each) => [each.row.id, each]))
  const first = order.flatMap((id) => byId.get(id) ?? [])
  const moved = new Set(first)
  const all = [...first, ...ranked.filter((each) => !moved.has(each))]
  return all.map((each, i) => ({ ...each, score: ranked[i]?.score ?? each.score }))
}
