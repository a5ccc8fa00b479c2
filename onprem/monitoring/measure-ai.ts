import type { Ai } from '../../shared/ai/ai.ts'
import type { Embedder } from '../../shared/ai/embedder.ts'
import { costOf, type Llm } from '../../shared/ai/llm.ts'
import { AppError } from '../../shared/errors.ts'
import { llmAddress } from '../../shared/settings/ai-address.ts'
import type { SettingsStore } from '../../shared/store/settings-store.ts'
import { countTokens } from '../../shared/text/count-tokens.ts'
import type { Instruments } from './instruments.ts'

type AiInstruments = Pick<Instruments, 'aiCalls' | 'aiSeconds' | 'aiTokens'>
type Labels = { provider: string; use: 'embed_documents' | 'embed_question' | 'llm' }

/** The same models, whose calls are counted by provider. */
export function measureAi(ai: Ai, settings: Pick<SettingsStore, 'get'>, instruments: AiInstruments): Ai {
  const embedder = (unmeasured: Embedder | undefined) =>
    unmeasured && measuredEmbedder(unmeasured, providerOf(unmeasured), instruments)
  return {
    embedder: () => embedder(ai.embedder()),
    embedderFor: (space) => embedder(ai.embedderFor(space)),
    llm() {
      const llm = ai.llm()
      return llm && measuredLlm(llm, llmAddress(settings.get).provider ?? 'none', instruments)
    },
  }
}

/** The provider begins the name of a vector space. */
const providerOf = ({ model }: Embedder): string => model.split(' ', 1)[0] ?? ''

function measuredEmbedder(embedder: Embedder, provider: string, instruments: AiInstruments): Embedder {
  return {
    model: embedder.model,
    limits: embedder.limits,
    search: embedder.search,
    get dimensions() {
      return embedder.dimensions
    },
    embed(texts, purpose, signal) {
      const labels: Labels = { provider, use: purpose === 'query' ? 'embed_question' : 'embed_documents' }
      return measure(instruments, labels, signal, async () => {
        const vectors = await embedder.embed(texts, purpose, signal)
        const tokens = texts.reduce((sum, text) => sum + countTokens(text), 0)
        return { result: vectors, tokens }
      })
    },
  }
}

const measuredLlm = ({ model, limits, ask }: Llm, provider: string, instruments: AiInstruments): Llm => ({
  model,
  limits,
  ask: (request, signal) =>
    measure(instruments, { provider, use: 'llm' }, signal, async () => {
      const result = await ask(request, signal)
      return { result, tokens: result.tokens }
    }),
})

async function measure<T>(
  { aiCalls, aiSeconds, aiTokens }: AiInstruments,
  labels: Labels,
  signal: AbortSignal | undefined,
  call: () => Promise<{ result: T; tokens: number }>,
): Promise<T> {
  const began = performance.now()
  let outcome = 'ok'
  try {
    const { result, tokens } = await call()
    aiTokens.inc(labels, tokens)
    return result
  } catch (error) {
    aiTokens.inc(labels, costOf(error))
    outcome = signal?.aborted ? 'cancelled' : outcomeOf(error)
    throw error
  } finally {
    aiCalls.inc({ ...labels, outcome })
    aiSeconds.observe(labels, (performance.now() - began) / 1000)
  }
}

function outcomeOf(error: unknown): string {
  if (!(error instanceof AppError)) return 'failed'
  if (error.code === 'rate_limit_exceeded') return 'rate_limited'
  return error.code === 'timeout' ? 'timeout' : 'failed'
}
