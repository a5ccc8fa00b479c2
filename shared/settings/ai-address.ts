import type { SettingName, Settings } from './settings.ts'

type Get = <N extends SettingName>(name: N) => Settings[N]

/**
 * Whom a model is asked of, undefined where nobody is named. `baseUrl` is undefined where the provider's own address is meant; `region` belongs
 * to bedrock alone.
 */
export type AiAddress<Provider> = { provider: Provider | undefined; baseUrl: string | undefined; region: string | undefined }

export type LlmProvider = NonNullable<Settings['llm.provider']>
export type EmbeddingProvider = NonNullable<Settings['embedding.provider']>

export function llmAddress(get: Get): AiAddress<LlmProvider> {
  const provider = get('llm.provider')
  return { provider, baseUrl: get('llm.baseUrl'), region: regionOf(provider, get) }
}

/** Embeddings come from the language model's provider where no other is set, and from its address where they have none of their own. */
export function embeddingAddress(get: Get): AiAddress<EmbeddingProvider> {
  const llm = get('llm.provider')
  const named = get('embedding.provider') ?? llm
  const provider = named === 'anthropic' ? undefined : named
  const inherited = provider === llm ? get('llm.baseUrl') : undefined
  return { provider, baseUrl: get('embedding.baseUrl') ?? inherited, region: regionOf(provider, get) }
}

const regionOf = (provider: LlmProvider | undefined, get: Get): string | undefined =>
  provider === 'bedrock' ? get('aws.region') : undefined
