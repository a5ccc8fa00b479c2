import { countTokens } from '../text/count-tokens.ts'
import type { AskProvider } from './ask-provider.ts'
import { type Llm, paidAnswer } from './llm.ts'
import { type LlmPrompt, llmPrompt, readAnswer, withPlainFallback } from './llm-prompt.ts'
import { type Address, decodedResult, openaiClient } from './openai-client.ts'
import type { ProviderInfo } from './provider-info.ts'
import { unreadable } from './provider-refusal.ts'

/** A language model that the adapters make a port of. */
export type LlmOptions = { info: ProviderInfo; address: Address; limits: Llm['limits'] }

/** For what a model thinks before it answers, which most providers count as answer. */
const reasoningTokens = 2_048
const reasoningModels = /^(gpt-[5-9](?!.*chat)|o\d|gemini-(2\.5|[3-9]|flash-latest))/

/** Chat models of OpenAI, of Gemini and of every endpoint that speaks like OpenAI's; `isMakers` where it is one of the two. */
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
      const answer = await best((means) => {
        const sent = { model: info.model, ...size, ...messages(prompt, means), ...(means ? nativeOptions(info, prompt) : {}) }
        return decodedResult(info, chat.completions.create(sent, { ...(signal && { signal }) }), signal)
      })
      const said = answer.choices?.[0]?.message?.content
      const tokens = answer.usage?.total_tokens ?? countTokens(prompt.system + prompt.input + (said ?? ''))
      return paidAnswer(tokens, () => {
        if (typeof said !== 'string') throw unreadable(info, 'no text')
        return readAnswer(info, request.answer, said)
      })
    },
  }
}

/** Some models know no system message. */
function messages({ system, input }: LlmPrompt, apart: boolean) {
  const user = { role: 'user' as const, content: apart ? input : `${system}\n\n${input}` }
  return { messages: apart ? [{ role: 'system' as const, content: system }, user] : [user] }
}

function nativeOptions({ model }: ProviderInfo, { schema }: LlmPrompt) {
  return {
    ...(schema && { response_format: { type: 'json_schema' as const, json_schema: { name: 'answer', schema, strict: false } } }),
    ...(reasoningModels.test(model) && { reasoning_effort: 'low' as const }),
  }
}
