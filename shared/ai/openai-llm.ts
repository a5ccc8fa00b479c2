import { countTokens } from '../text/count-tokens.ts'
import type { AskProvider } from './ask-provider.ts'
import { type Llm, paidAnswer } from './llm.ts'
import { type LlmPrompt, llmPrompt, readAnswer, withPlainFallback } from './llm-prompt.ts'
import { type Address, decodedResult, openaiClient } from './openai-client.ts'
import type { ProviderInfo } from './provider-info.ts'
import { unreadable } from './provider-refusal.ts'

export type LlmOptions = { info: ProviderInfo; address: Address; limits: Llm['limits'] }

/** Room for reasoning, which most providers count as output. */
const reasoningTokens = 2_048
const reasoningModels = /^(gpt-[5-9](?!.*chat)|o\d|gemini-(2\.5|[3-9]|flash-latest))/

/** Chat models of OpenAI, Gemini and compatible endpoints. `isOfficial` is true for OpenAI and Gemini. */
export function openaiLlm({ info, address, limits }: LlmOptions, isOfficial: boolean, ask: AskProvider): Llm {
  const best = withPlainFallback()
  let client: ReturnType<typeof openaiClient> | undefined
  return {
    model: info.model,
    limits,
    async ask(request, signal) {
      client ??= openaiClient(address, info, ask)
      const { chat } = await client
      const prompt = llmPrompt(request)
      const maxTokens = request.maxAnswerTokens + reasoningTokens
      const size = isOfficial ? { max_completion_tokens: maxTokens } : { max_tokens: maxTokens }
      const answer = await best((native) => {
        const body = { model: info.model, ...size, ...messages(prompt, native), ...(native ? nativeOptions(info, prompt) : {}) }
        return decodedResult(info, chat.completions.create(body, { ...(signal && { signal }) }), signal)
      })
      const text = answer.choices?.[0]?.message?.content
      const tokens = answer.usage?.total_tokens ?? countTokens(prompt.system + prompt.input + (text ?? ''))
      return paidAnswer(tokens, () => {
        if (typeof text !== 'string') throw unreadable(info, 'no text')
        return readAnswer(info, request.answer, text)
      })
    },
  }
}

/** Some models do not support system messages. */
function messages({ system, input }: LlmPrompt, native: boolean) {
  const user = { role: 'user' as const, content: native ? input : `${system}\n\n${input}` }
  return { messages: native ? [{ role: 'system' as const, content: system }, user] : [user] }
}

function nativeOptions({ model }: ProviderInfo, { schema }: LlmPrompt) {
  return {
    ...(schema && { response_format: { type: 'json_schema' as const, json_schema: { name: 'answer', schema, strict: false } } }),
    ...(reasoningModels.test(model) && { reasoning_effort: 'low' as const }),
  }
}
