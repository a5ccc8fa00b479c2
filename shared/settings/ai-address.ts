import type { SettingName, Settings } from './settings.ts'

export type GetSetting = <N extends SettingName>(name: N) => Settings[N]

/**
 * The provider of a model, undefined if none is set. `baseUrl` is undefined for the provider's default address. Only bedrock has a `region`.
 */
export type AiAddress<Provider> = { provider: Provider | undefined; baseUrl: string | undefined; region: string | undefined }

export type LlmProvider = NonNullable<Settings['llm.provider']>
export type EmbeddingProvider = Exclude<Settings['embedding.provider'], 'auto' | 'none'>

export function llmAddress(get: GetSetting): AiAddress<LlmProvider> {
  const provider = get('llm.provider')
  return { provider, baseUrl: get('llm.baseUrl'), region: regionOf(provider, get) }
}

/** `auto` is the provider of the language model and, for the same provider, its address. */
export function embeddingAddress(get: GetSetting): AiAddress<EmbeddingProvider> {
  const llm = get('llm.provider')
  const set = get('embedding.provider')
  const named = set === 'auto' ? llm : set
  const provider = named === 'anthropic' || named === 'none' ? undefined : named
  const inherited = provider === llm ? get('llm.baseUrl') : undefined
  return { provider, baseUrl: get('embedding.baseUrl') ?? inherited, region: regionOf(provider, get) }
}

const regionOf = (provider: LlmProvider | EmbeddingProvider | undefined, get: GetSetting): string | undefined =>
  provider === 'bedrock' ? get('aws.region') : undefined
