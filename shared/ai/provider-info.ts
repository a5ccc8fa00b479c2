import type { ModelConfig } from './model-config.ts'

/** The parts of an error message about a provider, and the secrets that it must not contain. */
export type ProviderInfo = {
  /** The name, for example `OpenAI`. */
  name: string
  model: string
  /** The group of settings to check. */
  settings: 'llm' | 'embedding'
  /** Texts that are redacted in everything that the provider returns. */
  secrets: string[]
}

const names = { openai: 'OpenAI', anthropic: 'Anthropic', gemini: 'Gemini', bedrock: 'Bedrock' }

export const providerInfo = (
  { provider, baseUrl, model, key }: ModelConfig,
  settings: ProviderInfo['settings'],
): ProviderInfo => ({
  name: provider === 'custom' ? new URL(baseUrl).host : names[provider],
  model,
  settings,
  secrets: key === undefined ? [] : [key],
})
