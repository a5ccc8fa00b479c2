import type { AiRuntime } from './ai-runtime.ts'
import { anthropicLlm } from './anthropic-llm.ts'
import { bedrockLlm } from './bedrock-llm.ts'
import type { Llm } from './llm.ts'
import type { ModelConfig } from './model-config.ts'
import { llmLimits } from './models.ts'
import { bearerHeaders } from './openai-client.ts'
import { openaiLlm } from './openai-llm.ts'
import { providerInfo } from './provider-info.ts'

export function makeLlm(config: ModelConfig, { ask }: AiRuntime): Llm {
  const { provider, baseUrl, region = '', key } = config
  const common = { info: providerInfo(config, 'llm'), limits: llmLimits[provider] }
  switch (provider) {
    case 'anthropic':
      return anthropicLlm({ ...common, address: { baseUrl, headers: { 'x-api-key': key ?? '' } } }, ask)
    case 'bedrock':
      return bedrockLlm({ ...common, address: { baseUrl, region, key } }, ask)
    default:
      return openaiLlm({ ...common, address: { baseUrl, headers: bearerHeaders(key) } }, provider !== 'custom', ask)
  }
}
