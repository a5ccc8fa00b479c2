import type { BedrockRuntimeClient, ConverseCommandInput } from '@aws-sdk/client-bedrock-runtime'
import type { AskProvider } from './ask-provider.ts'
import { type BedrockAddress, bedrockClient, sent } from './bedrock-client.ts'
import { type Llm, paidAnswer } from './llm.ts'
import { checkAnswer, type Prompt, promptOf, readAnswer, withMeans } from './llm-prompt.ts'
import type { Named } from './provider-refusal.ts'

/** Models that can be made to use a tool. */
const usesTools = /anthropic\.|amazon\.nova/

/** Any text model of Bedrock, by Converse. */
export function bedrockLlm(
  { named, address, limits }: { named: Named; address: BedrockAddress; limits: Llm['limits'] },
  ask: AskProvider,
): Llm {
  const best = withMeans()
  let client: Promise<BedrockRuntimeClient> | undefined
  return {
    model: named.model,
    limits,
    async ask(request, signal) {
      client ??= bedrockClient(address, named, ask)
      const bedrock = await client
      const { ConverseCommand } = await import('@aws-sdk/client-bedrock-runtime')
      const prompt = promptOf(request)
      const about = { modelId: named.model, inferenceConfig: { maxTokens: request.maxAnswerTokens } }
      const { output, usage } = await best((means) => {
        const command = new ConverseCommand({ ...about, ...wordsOf(named, prompt, means) })
        return sent(named, bedrock.send(command, { ...(signal && { abortSignal: signal }) }), signal)
      })
      const content = output?.message?.content ?? []
      const tokens = usage?.totalTokens ?? 0
      const tool = content.find(({ toolUse }) => toolUse !== undefined)?.toolUse
      if (tool) return paidAnswer(tokens, () => checkAnswer(named, request.answer, tool.input))
      return paidAnswer(tokens, () => readAnswer(named, request.answer, content.map(({ text }) => text ?? '').join('')))
    },
  }
}

type Words = Pick<ConverseCommandInput, 'system' | 'messages' | 'toolConfig'>

/** Some models know no system message, and most no tool that they must use. */
function wordsOf({ model }: Named, { system, input, schema }: Prompt, means: boolean): Words {
  const message = (text: string): NonNullable<Words['messages']> => [{ role: 'user', content: [{ text }] }]
  if (!means) return { messages: message(`${system}\n\n${input}`) }
  const words = { system: [{ text: system }], messages: message(input) }
  if (schema === undefined || !usesTools.test(model)) return words
  // The SDK's type of a JSON document knows no unknown values.
  const json = JSON.parse(JSON.stringify(schema))
  return {
    ...words,
    toolConfig: {
      tools: [{ toolSpec: { name: 'answer', description: 'Takes the answer.', inputSchema: { json } } }],
      toolChoice: { tool: { name: 'answer' } },
    },
  }
}
