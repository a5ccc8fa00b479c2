import type { EmbeddingProvider, LlmProvider } from '../settings/ai-address.ts'
import type { EmbedderLimits } from './embedder.ts'

type EmbeddingModel = EmbedderLimits & {
  /** Undefined where the first answer tells. */
  dimensions: number | undefined
  /** Whether it takes a wish for shorter vectors. */
  shortens: boolean
}

/** What holds of a provider's models unless the table of models knows better. */
const embeddingDefaults: Record<EmbeddingProvider, EmbeddingModel> = {
  openai: { batchTexts: 256, batchTokens: 100_000, textTokens: 8_000, requestsAtOnce: 8, dimensions: undefined, shortens: false },
  gemini: { batchTexts: 100, batchTokens: 20_000, textTokens: 2_000, requestsAtOnce: 4, dimensions: undefined, shortens: false },
  bedrock: { batchTexts: 1, batchTokens: 8_000, textTokens: 8_000, requestsAtOnce: 16, dimensions: undefined, shortens: false },
  // What the small servers take that people run themselves.
  custom: { batchTexts: 32, batchTokens: 16_000, textTokens: 8_000, requestsAtOnce: 4, dimensions: undefined, shortens: false },
}

/** By what a model's name holds: a custom endpoint calls it `openai/text-embedding-3-small`, an inference profile `eu.cohere.embed-v4:0`. */
const embeddingModels: [string, Partial<EmbeddingModel>][] = [
  ['text-embedding-3-small', { dimensions: 1536, shortens: true }],
  ['text-embedding-3-large', { dimensions: 3072, shortens: true }],
  ['text-embedding-ada-002', { dimensions: 1536 }],
  ['gemini-embedding-001', { dimensions: 3072, shortens: true }],
  ['gemini-embedding-2', { dimensions: 3072, shortens: true, textTokens: 8_000 }],
  ['titan-embed-text-v2', { dimensions: 1024, shortens: true }],
  ['titan-embed', { dimensions: 1536 }],
  ['cohere.embed-v4', { dimensions: 1536, shortens: true, batchTexts: 96, batchTokens: 100_000, requestsAtOnce: 8 }],
  ['cohere.embed', { dimensions: 1024, batchTexts: 96, batchTokens: 48_000, textTokens: 500, requestsAtOnce: 8 }],
]

const defaultEmbeddingModel: Record<EmbeddingProvider, string | undefined> = {
  openai: 'text-embedding-3-small',
  gemini: 'gemini-embedding-001',
  bedrock: 'amazon.titan-embed-text-v2:0',
  custom: undefined,
}

const defaultLlmModel: Record<LlmProvider, string | undefined> = {
  openai: 'gpt-5.4-mini',
  anthropic: 'claude-haiku-4-5',
  gemini: 'gemini-flash-latest',
  bedrock: undefined,
  custom: undefined,
}

/** Undefined where the settings must name one. */
export const embeddingModelOf = (provider: EmbeddingProvider, set: string | undefined): string | undefined =>
  set ?? defaultEmbeddingModel[provider]

export const llmModelOf = (provider: LlmProvider, set: string | undefined): string | undefined => set ?? defaultLlmModel[provider]

/** What a model takes. Undefined means undeclared: the vectors of an unknown model are learnt. */
export function embeddingLimits(provider: EmbeddingProvider, model: string): EmbeddingModel {
  const known = embeddingModels.find(([name]) => model.toLowerCase().includes(name))?.[1]
  const { dimensions, shortens } = known ?? {}
  const about = { ...embeddingDefaults[provider], dimensions, shortens: shortens ?? false }
  // An endpoint of one's own may take less than the model's maker does.
  return provider === 'custom' ? about : { ...about, ...known }
}

/** What a language model reads at once; small enough for every model of the provider that is still served. */
export const llmLimits: Record<LlmProvider, { inputTokens: number; requestsAtOnce: number }> = {
  openai: { inputTokens: 100_000, requestsAtOnce: 8 },
  anthropic: { inputTokens: 150_000, requestsAtOnce: 4 },
  gemini: { inputTokens: 200_000, requestsAtOnce: 4 },
  bedrock: { inputTokens: 100_000, requestsAtOnce: 4 },
  custom: { inputTokens: 6_000, requestsAtOnce: 2 },
}
