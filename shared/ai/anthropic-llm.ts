import type { Anthropic } from '@anthropic-ai/sdk'
import type { AskProvider } from './ask-provider.ts'
import { type Llm, paidAnswer } from './llm.ts'
import { checkAnswer, type LlmPrompt, llmPrompt, readAnswer, withPlainFallback } from './llm-prompt.ts'
import { type Address, decodedResult, providerFetch } from './openai-client.ts'
import type { LlmOptions } from './openai-llm.ts'
import type { ProviderInfo } from './provider-info.ts'

/** Claude through Anthropic's API. The answer is the input of a tool call. */
export function anthropicLlm({ info, address, limits }: LlmOptions, ask: AskProvider): Llm {
  const best = withPlainFallback()
  let client: Promise<Anthropic> | undefined
  return {
    model: info.model,
    limits,
    async ask(request, signal) {
      client ??= anthropicClient(address, info, ask)
      const { messages } = await client
      const prompt = llmPrompt(request)
      const about = { model: info.model, max_tokens: request.maxAnswerTokens, stream: false as const }
      const { content, usage } = await best((native) =>
        decodedResult(info, messages.create({ ...about, ...contentOf(prompt, native) }, { ...(signal && { signal }) }), signal),
      )
      const tokens = (usage?.input_tokens ?? 0) + (usage?.output_tokens ?? 0)
      const tool = content?.find((block) => block.type === 'tool_use')
      if (tool) return paidAnswer(tokens, () => checkAnswer(info, request.answer, tool.input))
      const text = (content ?? []).flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('')
      return paidAnswer(tokens, () => readAnswer(info, request.answer, text))
    },
  }
}

function contentOf({ system, input, schema }: LlmPrompt, native: boolean) {
  if (!native || schema === undefined) return { messages: [{ role: 'user' as const, content: `${system}\n\n${input}` }] }
  return {
    system,
    messages: [{ role: 'user' as const, content: input }],
    tools: [{ name: 'answer', description: 'Takes the answer.', input_schema: schema }],
    tool_choice: { type: 'tool' as const, name: 'answer' },
  }
}

async function anthropicClient({ baseUrl, headers }: Address, info: ProviderInfo, ask: AskProvider): Promise<Anthropic> {
  const { Anthropic } = await import('@anthropic-ai/sdk')
  return new Anthropic({
    baseURL: baseUrl.replace(/\/v1$/, ''),
    apiKey: 'sent by fetch below',
    webhookKey: null,
    maxRetries: 0,
    timeout: 120_000,
    logLevel: 'off',
    openTelemetry: false,
    fetch: providerFetch(ask, info, { 'anthropic-version': '2023-06-01', ...headers }),
  })
}
