import { AppError } from '../errors.ts'
import { type AiAddress, embeddingAddress, type LlmProvider, llmAddress } from '../settings/ai-address.ts'
import type { SettingName, Settings } from '../settings/settings.ts'
import { embeddingModelOf, llmModelOf } from './models.ts'

/** What is read of the settings. */
export type AiSettings = {
  get<N extends SettingName>(name: N): Settings[N]
  getSecret(name: 'llm.apiKey' | 'embedding.apiKey'): string | undefined
}

/** A model as the settings name it: enough to ask it. */
export type ModelConfig<Provider extends LlmProvider = LlmProvider> = {
  provider: Provider
  model: string
  /** Without a slash at its end. */
  baseUrl: string
  region: string | undefined
  key: string | undefined
}

const providerUrls = {
  openai: 'https://api.openai.com/v1',
  anthropic: 'https://api.anthropic.com',
  gemini: 'https://generativelanguage.googleapis.com/v1beta/openai',
}

/** Undefined where no provider is set. Throws validation_error where something is missing, internal_error where a stored key cannot be read. */
export function llmConfig(settings: AiSettings): ModelConfig | undefined {
  const { provider, ...address } = llmAddress(settings.get)
  if (provider === undefined) return undefined
  const model = llmModelOf(provider, settings.get('llm.model')) ?? missing('llm.model', provider)
  const baseUrl = urlOf(provider, address, 'llm')
  return {
    provider,
    model,
    baseUrl,
    region: address.region,
    key: requiredKey(provider, settings.getSecret('llm.apiKey'), 'llm.apiKey'),
  }
}

/** The same for embeddings. */
export function embeddingConfig(settings: AiSettings): ModelConfig<Exclude<LlmProvider, 'anthropic'>> | undefined {
  const { provider, ...address } = embeddingAddress(settings.get)
  if (provider === undefined) return undefined
  const model = embeddingModelOf(provider, settings.get('embedding.model')) ?? missing('embedding.model', provider)
  const baseUrl = urlOf(provider, address, 'embedding')
  const key = settings.getSecret('embedding.apiKey') ?? inheritedKey(settings, provider, baseUrl)
  return { provider, model, baseUrl, region: address.region, key: requiredKey(provider, key, 'embedding.apiKey') }
}

/** The language model's key, which is shown to nobody but its own provider at its own origin. */
function inheritedKey(settings: AiSettings, provider: LlmProvider, baseUrl: string): string | undefined {
  const llm = llmAddress(settings.get)
  if (llm.provider !== provider) return undefined
  return new URL(urlOf(provider, llm, 'llm')).origin === new URL(baseUrl).origin ? settings.getSecret('llm.apiKey') : undefined
}

type ProviderAddress = Omit<AiAddress<LlmProvider>, 'provider'>

function urlOf(provider: LlmProvider, { baseUrl, region }: ProviderAddress, settings: 'llm' | 'embedding'): string {
  if (provider === 'bedrock') {
    const signedFor = region ?? missing('aws.region', provider)
    return baseUrl ?? runtimeUrl(signedFor)
  }
  if (provider === 'custom') return baseUrl ?? missing(`${settings}.baseUrl`, provider)
  return baseUrl ?? providerUrls[provider]
}

function runtimeUrl(region: string): string {
  const suffix = region.startsWith('cn-') ? 'amazonaws.com.cn' : region.startsWith('eusc-') ? 'amazonaws.eu' : 'amazonaws.com'
  return `https://bedrock-runtime.${region}.${suffix}`
}

/** A custom endpoint may need no key; bedrock has the machine's own credentials. */
function requiredKey(provider: LlmProvider, key: string | undefined, name: string): string | undefined {
  return key ?? (provider === 'custom' || provider === 'bedrock' ? undefined : missing(name, provider))
}

function missing(name: string, provider: LlmProvider): never {
  throw new AppError('validation_error', `The provider ${provider} needs ${name}, which is not set.`)
}
