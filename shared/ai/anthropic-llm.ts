import { z } from 'zod'
import type { AskProvider } from './ask-provider.ts'
import { type Llm, paidAnswer } from './llm.ts'
import { checkAnswer, type LlmPrompt, llmPrompt, readAnswer, withPlainFallback } from './llm-prompt.ts'
import type { Address } from './openai-client.ts'
import type { LlmOptions } from './openai-llm.ts'
import type { ProviderInfo } from './provider-info.ts'
import { providerRefusal, unreadable } from './provider-refusal.ts'

const tokenCount = z.int().nonnegative().nullish()

/** The parts of Anthropic's response that are used. */
const Message = z.object({
  content: z.array(z.object({ type: z.string(), text: z.string().optional(), input: z.unknown().optional() })).nullish(),
  usage: z.object({ input_tokens: tokenCount, output_tokens: tokenCount }).nullish(),
})

/** Claude through Anthropic's API. The answer is the input of a tool call. */
export function anthropicLlm({ info, address, limits }: LlmOptions, ask: AskProvider): Llm {
  const best = withPlainFallback()
  return {
    model: info.model,
    limits,
    async ask(request, signal) {
      const prompt = llmPrompt(request)
      const about = { model: info.model, max_tokens: request.maxAnswerTokens }
      const { content, usage } = await best((native) =>
        createMessage(ask, info, address, { ...about, ...contentOf(prompt, native) }, signal),
      )
      const tokens = (usage?.input_tokens ?? 0) + (usage?.output_tokens ?? 0)
      const tool = content?.find(({ type }) => type === 'tool_use')
      if (tool) return paidAnswer(tokens, () => checkAnswer(info, request.answer, tool.input))
      const text = (content ?? []).flatMap((block) => (block.type === 'text' ? [block.text ?? ''] : [])).join('')
      return paidAnswer(tokens, () => readAnswer(info, request.answer, text))
    },
  }
}

function contentOf({ system, input, schema }: LlmPrompt, native: boolean) {
  if (!native || schema === undefined) return { messages: [{ role: 'user', content: `${system}\n\n${input}` }] }
  return {
    system,
    messages: [{ role: 'user', content: input }],
    tools: [{ name: 'answer', description: 'Takes the answer.', input_schema: schema }],
    tool_choice: { type: 'tool', name: 'answer' },
  }
}

async function createMessage(
  ask: AskProvider,
  info: ProviderInfo,
  { baseUrl, headers }: Address,
  body: object,
  signal: AbortSignal | undefined,
): Promise<z.infer<typeof Message>> {
  const url = `${baseUrl.replace(/\/v1$/, '')}/v1/messages`
  const answer = await ask({
    url,
    method: 'POST',
    headers: { accept: 'application/json', 'content-type': 'application/json', 'anthropic-version': '2023-06-01', ...headers },
    body: JSON.stringify(body),
    signal,
  })
  if (answer.status < 200 || answer.status > 299) throw providerRefusal(info, answer, url)
  try {
    return Message.parse(JSON.parse(answer.body.toString('utf8')))
  } catch (error) {
    throw unreadable(info, 'an unreadable response', error)
  }
}
