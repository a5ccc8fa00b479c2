import type { BedrockRuntimeClient, ConverseCommandInput } from '@aws-sdk/client-bedrock-runtime'
import { AppError } from '../errors.ts'
import type { AskProvider } from './ask-provider.ts'
import { type BedrockAddress, bedrockClient, sdkResult } from './bedrock-client.ts'
import { listBedrockProfiles } from './list-bedrock-profiles.ts'
import { type Llm, paidAnswer } from './llm.ts'
import { checkAnswer, type LlmPrompt, llmPrompt, readAnswer, withPlainFallback } from './llm-prompt.ts'
import type { ProviderInfo } from './provider-info.ts'
import { isUnknownModel } from './provider-refusal.ts'

/** Models that can be forced to use a tool. */
const usesTools = /anthropic\.|amazon\.nova/

/** Any text model on Bedrock, through Converse. */
export function bedrockLlm(
  { info, address, limits }: { info: ProviderInfo; address: BedrockAddress; limits: Llm['limits'] },
  ask: AskProvider,
): Llm {
  const best = withPlainFallback()
  let client: Promise<BedrockRuntimeClient> | undefined
  let offers: Promise<string> | undefined
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
      }).catch(async (error: unknown) => {
        if (!isUnknownModel(error)) throw error
        offers ??= listBedrockProfiles(bedrock, address).then(offersOf)
        const advice = await offers.catch(() => {
          // The permission may come while the server runs.
          offers = undefined
          return unlisted
        })
        throw new AppError(error.code, `${error.message} ${advice}`, { cause: error })
      })
      const content = output?.message?.content ?? []
      const tokens = usage?.totalTokens ?? 0
      const tool = content.find(({ toolUse }) => toolUse !== undefined)?.toolUse
      if (tool) return paidAnswer(tokens, () => checkAnswer(info, request.answer, tool.input))
      return paidAnswer(tokens, () => readAnswer(info, request.answer, content.map(({ text }) => text ?? '').join('')))
    },
  }
}

const maxOffers = 12
const unlisted = 'To see here what the account offers, allow bedrock:ListInferenceProfiles.'

function offersOf(profiles: string[]): string {
  if (profiles.length === 0) return 'The account offers no inference profiles in this region.'
  const more = profiles.length > maxOffers ? ` and ${profiles.length - maxOffers} more` : ''
  return `The account offers ${profiles.slice(0, maxOffers).join(', ')}${more}.`
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
