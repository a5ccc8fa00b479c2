import { countTokens } from '../text/count-tokens.ts'
import type { AskProvider } from './ask-provider.ts'
import { type Llm, paidAnswer } from './llm.ts'
import { type Prompt, promptOf, readAnswer, withMeans } from './llm-prompt.ts'
import { type Address, decoded, openaiClient } from './openai-client.ts'
import { type Named, unreadable } from './provider-refusal.ts'

/** A language model that the adapters make a port of. */
export type LlmSetup = { named: Named; address: Address; limits: Llm['limits'] }

/** For what a model thinks before it answers, which most providers count as answer. */
const thoughtTokens = 2_048
const thinks = /^(gpt-[5-9](?!.*chat)|o\d|gemini-(2\.5|[3-9]|flash-latest))/

/** Chat models of OpenAI, of Gemini and of every endpoint that speaks like OpenAI's; `isMakers` where it is one of the two. */
export function openaiLlm({ named, address, limits }: LlmSetup, isMakers: boolean, ask: AskProvider): Llm {
  const best = withMeans()
  let client: ReturnType<typeof openaiClient> | undefined
  return {
    model: named.model,
    limits,
    async ask(request, signal) {
      client ??= openaiClient(address, named, ask)
      const { chat } = await client
      const prompt = promptOf(request)
      const most = request.maxAnswerTokens + thoughtTokens
      const size = isMakers ? { max_completion_tokens: most } : { max_tokens: most }
      const answer = await best((means) => {
        const sent = { model: named.model, ...size, ...messages(prompt, means), ...(means ? meansOf(named, prompt) : {}) }
        return decoded(named, chat.completions.create(sent, { ...(signal && { signal }) }), signal)
      })
      const said = answer.choices?.[0]?.message?.content
      const tokens = answer.usage?.total_tokens ?? countTokens(prompt.system + prompt.input + (said ?? ''))
      return paidAnswer(tokens, () => {
        if (typeof said !== 'string') throw unreadable(named, 'no text')
        return readAnswer(named, request.answer, said)
      })
    },
  }
}

/** Some models know no system message. */
function messages({ system, input }: Prompt, apart: boolean) {
  const user = { role: 'user' as const, content: apart ? input : `${system}\n\n${input}` }
  return { messages: apart ? [{ role: 'system' as const, content: system }, user] : [user] }
}

function meansOf({ model }: Named, { schema }: Prompt) {
  return {
    ...(schema && { response_format: { type: 'json_schema' as const, json_schema: { name: 'answer', schema, strict: false } } }),
    ...(thinks.test(model) && { reasoning_effort: 'low' as const }),
  }
}
