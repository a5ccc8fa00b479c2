import { anthropicLlm } from './anthropic-llm.ts'
import type { AskProvider } from './ask-provider.ts'
import { bedrockEmbedder } from './bedrock-embedder.ts'
import { bedrockLlm } from './bedrock-llm.ts'
import { checkVectors } from './check-vectors.ts'
import type { Embedder } from './embedder.ts'
import type { Llm } from './llm.ts'
import { embeddingLimits, llmLimits } from './models.ts'
import { openaiEmbedder } from './openai-embedder.ts'
import { openaiLlm } from './openai-llm.ts'
import type { Named } from './provider-refusal.ts'
import { type AiSettings, embeddingSetup, type Setup } from './setups.ts'

/** What outlives a change of the settings. */
export type AiRim = {
  ask: AskProvider
  /** The length of the vectors of each space that was seen. */
  learnt: Map<string, number>
}

/** Embeddings as the settings want them. */
export type EmbedderWish = NonNullable<ReturnType<typeof embeddingSetup>> & { wished: number | undefined }

/** Undefined where no provider is set. Throws as `embeddingSetup` does. */
export function embedderWish(settings: AiSettings): EmbedderWish | undefined {
  const setup = embeddingSetup(settings)
  return setup && { ...setup, wished: settings.get('embedding.dimensions') }
}

/** What its vectors are called. */
export const spaceOf = ({
  provider,
  baseUrl,
  model,
  wished,
}: Pick<EmbedderWish, 'provider' | 'baseUrl' | 'model' | 'wished'>): string =>
  [provider, baseUrl, model, ...(wished === undefined ? [] : [wished])].join(' ')

/** Another model of the provider that is set, by the name of its vectors: provider and address are the same, and so is the key. */
export function formerWish(wish: EmbedderWish, space: string): EmbedderWish | undefined {
  const at = spaceOf({ ...wish, model: '', wished: undefined })
  if (!space.startsWith(at)) return undefined
  const [, model = '', wished] = /^(.*?)(?: (\d+))?$/s.exec(space.slice(at.length)) ?? []
  return { ...wish, model, wished: wished === undefined ? undefined : Number(wished) }
}

export function embedderOf(setup: EmbedderWish, { ask, learnt }: AiRim): Embedder {
  const { provider, model, wished, baseUrl, region = '', key } = setup
  const { dimensions, shortens, ...limits } = embeddingLimits(provider, model)
  const space = spaceOf(setup)
  const known = wished ?? (provider === 'custom' ? undefined : dimensions)
  const named = namedBy(setup, 'embedding')
  const common = {
    named,
    space,
    limits,
    encoding: provider === 'gemini' ? ('float' as const) : ('base64' as const),
    askedDimensions: shortens ? wished : undefined,
    dimensions: () => known ?? learnt.get(space),
    checked(given: unknown[], texts: number) {
      const length = known ?? learnt.get(space)
      // What was learnt of one answer may be wrong, or hold no more: where another contradicts, the next one decides.
      learnt.delete(space)
      const vectors = checkVectors(named, given, texts, length)
      if (vectors[0]) learnt.set(space, vectors[0].length)
      return vectors
    },
  }
  if (provider === 'bedrock') return bedrockEmbedder({ ...common, address: { baseUrl, region, key } }, ask)
  return openaiEmbedder({ ...common, address: { baseUrl, headers: bearer(key) } }, ask)
}

export function llmOf(setup: Setup, { ask }: AiRim): Llm {
  const { provider, baseUrl, region = '', key } = setup
  const common = { named: namedBy(setup, 'llm'), limits: llmLimits[provider] }
  switch (provider) {
    case 'anthropic':
      return anthropicLlm({ ...common, address: { baseUrl, headers: { 'x-api-key': key ?? '' } } }, ask)
    case 'bedrock':
      return bedrockLlm({ ...common, address: { baseUrl, region, key } }, ask)
    default:
      return openaiLlm({ ...common, address: { baseUrl, headers: bearer(key) } }, provider !== 'custom', ask)
  }
}

const names = { openai: 'OpenAI', anthropic: 'Anthropic', gemini: 'Gemini', bedrock: 'Bedrock' }

const namedBy = ({ provider, baseUrl, model, key }: Setup, settings: 'llm' | 'embedding'): Named => ({
  name: provider === 'custom' ? new URL(baseUrl).host : names[provider],
  model,
  settings,
  secrets: key === undefined ? [] : [key],
})

const bearer = (key: string | undefined): Record<string, string> => (key === undefined ? {} : { authorization: `Bearer ${key}` })
