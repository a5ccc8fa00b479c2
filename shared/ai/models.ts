import type { AiAddress, EmbeddingProvider, LlmProvider } from '../settings/ai-address.ts'
import type { EmbedderLimits } from './embedder.ts'

type EmbeddingModel = EmbedderLimits & {
  /** The length of the vectors; undefined if only the first response shows it. */
  dimensions: number | undefined
  /** True if the model can return shorter vectors on request. */
  shortens: boolean
}

/** Defaults per provider, for models that `embeddingModels` does not list. */
const embeddingDefaults: Record<EmbeddingProvider, EmbeddingModel> = {
  openai: { batchTexts: 256, batchTokens: 100_000, textTokens: 8_000, requestsAtOnce: 8, dimensions: undefined, shortens: false },
  gemini: { batchTexts: 100, batchTokens: 20_000, textTokens: 2_000, requestsAtOnce: 4, dimensions: undefined, shortens: false },
  bedrock: { batchTexts: 1, batchTokens: 8_000, textTokens: 8_000, requestsAtOnce: 16, dimensions: undefined, shortens: false },
  // Fits small self-hosted servers.
  custom: { batchTexts: 32, batchTokens: 16_000, textTokens: 8_000, requestsAtOnce: 4, dimensions: undefined, shortens: false },
  // A request takes well below a second, so that a question does not wait long. The second one is ready when the first ends.
  local: { batchTexts: 16, batchTokens: 500, textTokens: 500, requestsAtOnce: 2, dimensions: undefined, shortens: false },
}

/**
 * Models by a part of their name: a custom endpoint may call one `openai/text-embedding-3-small`, an inference profile
 * `eu.cohere.embed-v4:0`.
 */
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
  bedrock: 'amazon.titan-embed-text-v2:0',
  openai: 'text-embedding-3-small',
  gemini: 'gemini-embedding-001',
  custom: undefined,
  local: undefined,
}

const defaultLlmModel: Record<Exclude<LlmProvider, 'bedrock'>, string | undefined> = {
  openai: 'gpt-5.4-mini',
  anthropic: 'claude-haiku-4-5',
  gemini: 'gemini-flash-latest',
  custom: undefined,
}

const bedrockModel = 'anthropic.claude-haiku-4-5-20251001-v1:0'
/** Inference profiles keep a request in their geography, so no region defaults to one outside it. */
const bedrockGeographies: [RegExp, string][] = [
  [/^us-(?:east|west)-/, 'us.'],
  [/^eu-/, 'eu.'],
  [/^ap-northeast-[13]$/, 'jp.'],
  [/^ap-southeast-[24]$/, 'au.'],
]

/** Returns undefined if the settings must name a model. */
export const embeddingModelOf = (provider: EmbeddingProvider, set: string | undefined): string | undefined =>
  set ?? defaultEmbeddingModel[provider]

export function llmModelOf(
  { provider, region }: { provider: LlmProvider; region: AiAddress<LlmProvider>['region'] },
  set: string | undefined,
): string | undefined {
  if (set !== undefined) return set
  if (provider !== 'bedrock') return defaultLlmModel[provider]
  // If the region has no profile, Bedrock's refusal comes with the list of profiles that the account offers.
  return region && (bedrockGeographies.find(([regions]) => regions.test(region))?.[1] ?? '') + bedrockModel
}

/** The limits of a model. `dimensions` is undefined for an unknown model: its first response shows them. */
export function embeddingLimits(provider: EmbeddingProvider, model: string): EmbeddingModel {
  // The folder of a local model can have any name.
  if (provider === 'local') return embeddingDefaults.local
  const facts = embeddingModels.find(([name]) => model.toLowerCase().includes(name))?.[1]
  const { dimensions, shortens } = facts ?? {}
  const about = { ...embeddingDefaults[provider], dimensions, shortens: shortens ?? false }
  // A custom endpoint may accept less than the provider of the model.
  return provider === 'custom' ? about : { ...about, ...facts }
}

/** Limits that every current model of the provider supports. */
export const llmLimits: Record<LlmProvider, { inputTokens: number; requestsAtOnce: number }> = {
  openai: { inputTokens: 100_000, requestsAtOnce: 8 },
  anthropic: { inputTokens: 150_000, requestsAtOnce: 4 },
  gemini: { inputTokens: 200_000, requestsAtOnce: 4 },
  bedrock: { inputTokens: 100_000, requestsAtOnce: 4 },
  custom: { inputTokens: 6_000, requestsAtOnce: 2 },
}
