import type { SettingName, Settings } from './settings.ts'

type Get = <N extends SettingName>(name: N) => Settings[N]

/**
 * The provider of a model, undefined if none is set. `baseUrl` is undefined for the provider's default address. Only bedrock has a `region`.
 */
export type AiAddress<Provider> = { provider: Provider | undefined; baseUrl: string | undefined; region: string | undefined }

export type LlmProvider = NonNullable<Settings['llm.provider']>
export type EmbeddingProvider = NonNullable<Settings['embedding.provider']>

export function llmAddress(get: Get): AiAddress<LlmProvider> {
  const provider = get('llm.provider')
  return { provider, baseUrl: get('llm.baseUrl'), region: regionOf(provider, get) }
}

/** Embeddings default to the provider of the language model and, for the same provider, to its address. */
export function embeddingAddress(get: Get): AiAddress<EmbeddingProvider> {
  const llm = get('llm.provider')
  const named = get('embedding.provider') ?? llm
  const provider = named === 'anthropic' ? undefined : named
  const inherited = provider === llm ? get('llm.baseUrl') : undefined
  return { provider, baseUrl: get('embedding.baseUrl') ?? inherited, region: regionOf(provider, get) }
}

const regionOf = (provider: LlmProvider | EmbeddingProvider | undefined, get: Get): string | undefined =>
  provider === 'bedrock' ? get('aws.region') : undefined
