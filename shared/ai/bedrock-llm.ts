import type { BedrockRuntimeClient, ConverseCommandInput } from '@aws-sdk/client-bedrock-runtime'
import type { AskProvider } from './ask-provider.ts'
import { type BedrockAddress, bedrockClient, sdkResult } from './bedrock-client.ts'
import { type Llm, paidAnswer } from './llm.ts'
import { checkAnswer, type LlmPrompt, llmPrompt, readAnswer, withPlainFallback } from './llm-prompt.ts'
import type { ProviderInfo } from './provider-info.ts'

/** Models that can be forced to use a tool. */
const usesTools = /anthropic\.|amazon\.nova/

/** Any text model on Bedrock, through Converse. */
export function bedrockLlm(
  { info, address, limits }: { info: ProviderInfo; address: BedrockAddress; limits: Llm['limits'] },
  ask: AskProvider,
): Llm {
  const best = withPlainFallback()
  let client: Promise<BedrockRuntimeClient> | undefined
  return {
    model: info.model,
    limits,
    async ask(request, signal) {
      client ??= bedrockClient(address, info, ask)
      const bedrock = await client
      const { ConverseCommand } = await import('@aws-sdk/client-bedrock-runtime')
      const prompt = llmPrompt(request)
      const about = { modelId: info.model, inferenceConfig: { maxTokens: request.maxAnswerTokens } }
      const { output, usage } = await best((native) => {
        const command = new ConverseCommand({ ...about, ...contentOf(info, prompt, native) })
        return sdkResult(info, bedrock.send(command, { ...(signal && { abortSignal: signal }) }), signal)
      })
      const content = output?.message?.content ?? []
      const tokens = usage?.totalTokens ?? 0
      const tool = content.find(({ toolUse }) => toolUse !== undefined)?.toolUse
      if (tool) return paidAnswer(tokens, () => checkAnswer(info, request.answer, tool.input))
      return paidAnswer(tokens, () => readAnswer(info, request.answer, content.map(({ text }) => text ?? '').join('')))
    },
  }
}

type Content = Pick<ConverseCommandInput, 'system' | 'messages' | 'toolConfig'>

/** Some models do not support system messages, and most do not support forced tool use. */
function contentOf({ model }: ProviderInfo, { system, input, schema }: LlmPrompt, native: boolean): Content {
  const message = (text: string): NonNullable<Content['messages']> => [{ role: 'user', content: [{ text }] }]
  if (!native) return { messages: message(`${system}\n\n${input}`) }
  const content = { system: [{ text: system }], messages: message(input) }
  if (schema === undefined || !usesTools.test(model)) return content
  // The SDK's type of a JSON document excludes `unknown`.
  const json = JSON.parse(JSON.stringify(schema))
  return {
    ...content,
    toolConfig: {
      tools: [{ toolSpec: { name: 'answer', description: 'Takes the answer.', inputSchema: { json } } }],
      toolChoice: { tool: { name: 'answer' } },
    },
  }
}
