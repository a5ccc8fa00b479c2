import { AppError } from '../errors.ts'
import { type AiAddress, embeddingAddress, type LlmProvider, llmAddress } from '../settings/ai-address.ts'
import type { SettingName, Settings } from '../settings/settings.ts'
import { embeddingChoice } from './embedding-choice.ts'
import type { LocalModels } from './local/local-models.ts'
import { embeddingModelOf, llmModelOf } from './models.ts'

/** The part of the settings that models need. */
export type AiSettings = {
  get<N extends SettingName>(name: N): Settings[N]
  getSecret(name: 'llm.apiKey' | 'embedding.apiKey'): string | undefined
}

/** A model with everything needed to reach it. */
export type ModelConfig<Provider extends LlmProvider = LlmProvider> = {
  provider: Provider
  model: string
  /** The address without a trailing slash. */
  baseUrl: string
  region: string | undefined
  key: string | undefined
}

const providerUrls = {
  openai: 'https://api.openai.com/v1',
  anthropic: 'https://api.anthropic.com',
  gemini: 'https://generativelanguage.googleapis.com/v1beta/openai',
}

/**
 * Returns undefined if no provider is set. Throws validation_error if a setting is missing, data_damaged if a stored key cannot
 * be read.
 */
export function llmConfig(settings: AiSettings): ModelConfig | undefined {
  const { provider, ...address } = llmAddress(settings.get)
  if (provider === undefined) return undefined
  const baseUrl = urlOf(provider, address, 'llm')
  const model = llmModelOf({ provider, region: address.region }, settings.get('llm.model')) ?? missing('llm.model', provider)
  return {
    provider,
    model,
    baseUrl,
    region: address.region,
    key: requiredKey(provider, settings.getSecret('llm.apiKey'), 'llm.apiKey'),
  }
}

/** A model in `DATA_DIR/models`, by the name of its folder. */
export type LocalConfig = { provider: 'local'; model: string }

/** `llmConfig` for embeddings. */
export function embeddingConfig(
  settings: AiSettings,
  local: Pick<LocalModels, 'defaultEncoder'>,
): ModelConfig<Exclude<LlmProvider, 'anthropic'>> | LocalConfig | undefined {
  const choice = embeddingChoice(settings, local)
  if (choice.state !== 'active') return undefined
  const { provider } = choice
  const model = embeddingModelOf(provider, choice.model) ?? missing('embedding.model', provider)
  if (provider === 'local') return { provider, model }
  const address = embeddingAddress(settings.get)
  const baseUrl = urlOf(provider, address, 'embedding')
  const key = settings.getSecret('embedding.apiKey') ?? inheritedKey(settings, provider, baseUrl)
  return { provider, model, baseUrl, region: address.region, key: requiredKey(provider, key, 'embedding.apiKey') }
}

/** The key of the language model, if embeddings use the same provider at the same origin. It is sent nowhere else. */
function inheritedKey(settings: AiSettings, provider: LlmProvider, baseUrl: string): string | undefined {
  const llm = llmAddress(settings.get)
  if (llm.provider !== provider) return undefined
  return new URL(urlOf(provider, llm, 'llm')).origin === new URL(baseUrl).origin ? settings.getSecret('llm.apiKey') : undefined
}

type ProviderAddress = Omit<AiAddress<LlmProvider>, 'provider'>

function urlOf(provider: LlmProvider, { baseUrl, region }: ProviderAddress, settings: 'llm' | 'embedding'): string {
  if (provider === 'bedrock') {
    const requiredRegion = region ?? missing('aws.region', provider)
    return baseUrl ?? runtimeUrl(requiredRegion)
  }
  if (provider === 'custom') return baseUrl ?? missing(`${settings}.baseUrl`, provider)
  return baseUrl ?? providerUrls[provider]
}

function runtimeUrl(region: string): string {
  const suffix = region.startsWith('cn-') ? 'amazonaws.com.cn' : region.startsWith('eusc-') ? 'amazonaws.eu' : 'amazonaws.com'
  return `https://bedrock-runtime.${region}.${suffix}`
}

/** A custom endpoint may need no key. Bedrock can use the credentials of the machine. */
function requiredKey(provider: LlmProvider, key: string | undefined, name: string): string | undefined {
  return key ?? (provider === 'custom' || provider === 'bedrock' ? undefined : missing(name, provider))
}

function missing(name: string, provider: LlmProvider | 'local'): never {
  throw new AppError('validation_error', `The provider ${provider} needs ${name}. Set it.`)
}
