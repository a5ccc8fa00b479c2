import { type EmbeddingProvider, embeddingAddress, type LlmProvider } from '../settings/ai-address.ts'
import type { AiSettings } from './model-config.ts'

const openai = () => import('openai')
const packages: Partial<Record<EmbeddingProvider | LlmProvider, () => Promise<unknown>>> = {
  openai,
  gemini: openai,
  custom: openai,
  bedrock: () => import('@aws-sdk/client-bedrock-runtime'),
}

/** Loads the packages of the configured providers ahead of the first question, which loading would delay along with all other requests. */
export async function loadModels(settings: AiSettings): Promise<void> {
  const providers = [embeddingAddress(settings.get).provider, settings.get('llm.provider')]
  const wanted = [...new Set(providers)].filter((each) => each !== undefined)
  for (const provider of wanted) await packages[provider]?.()
  if (wanted.length > 0) await import('undici')
}
