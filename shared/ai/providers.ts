import { AppError } from '../errors.ts'
import type { Network } from '../network.ts'
import type { Ai } from './ai.ts'
import { anthropicLlm } from './anthropic-llm.ts'
import { type AskProvider, askingProviders } from './ask-provider.ts'
import { bedrockEmbedder } from './bedrock-embedder.ts'
import { bedrockLlm } from './bedrock-llm.ts'
import type { Embedder } from './embedder.ts'
import type { Llm } from './llm.ts'
import { embeddingLimits, llmLimits } from './models.ts'
import { openaiEmbedder } from './openai-embedder.ts'
import { openaiLlm } from './openai-llm.ts'
import type { Named } from './provider-refusal.ts'
import { type AiSettings, embeddingSetup, llmSetup, type Setup } from './setups.ts'

/** What outlives a change of the settings. */
export type AiRim = {
  ask: AskProvider
  /** The length of the vectors of each space that was seen. */
  learnt: Map<string, number>
}

export const aiRim = (network: Network): AiRim => ({ ask: askingProviders(network), learnt: new Map() })

/** The ports that the settings name at each use. A client lives as long as they say the same. */
export function aiOf(settings: AiSettings, rim: AiRim): Ai {
  const embedder = kept((wish: EmbedderWish) => embedderOf(wish, rim))
  const llm = kept((setup: Setup) => llmOf(setup, rim))
  return {
    embedder: () =>
      orRefusing(
        settings,
        (read) => {
          const wish = embedderWish(read)
          return wish && embedder(wish)
        },
        (made, embed) => ({ model: made.model, dimensions: made.dimensions, limits: made.limits, embed }),
      ),
    llm: () =>
      orRefusing(
        settings,
        (read) => {
          const setup = llmSetup(read)
          return setup && llm(setup)
        },
        (made, ask) => ({ ...made, ask }),
      ),
  }
}

/** The same, made for one use. Undefined where no provider is set; throws AppError where something is missing. */
export const embedderNow = (settings: AiSettings, rim: AiRim): Embedder | undefined => {
  const wish = embedderWish(settings)
  return wish && embedderOf(wish, rim)
}
export const llmNow = (settings: AiSettings, rim: AiRim): Llm | undefined => {
  const setup = llmSetup(settings)
  return setup && llmOf(setup, rim)
}

type EmbedderWish = NonNullable<ReturnType<typeof embeddingSetup>> & { wished: number | undefined }

function embedderWish(settings: AiSettings): EmbedderWish | undefined {
  const setup = embeddingSetup(settings)
  return setup && { ...setup, wished: settings.get('embedding.dimensions') }
}

function embedderOf(setup: EmbedderWish, { ask, learnt }: AiRim): Embedder {
  const { provider, model, wished, baseUrl, region = '', key } = setup
  const { dimensions, shortens, ...limits } = embeddingLimits(provider, model)
  const space = [provider, baseUrl, model, ...(wished === undefined ? [] : [wished])].join(' ')
  const known = wished ?? (provider === 'custom' ? undefined : dimensions)
  const common = {
    named: namedBy(setup, 'embedding'),
    space,
    limits,
    encoding: provider === 'gemini' ? ('float' as const) : ('base64' as const),
    askedDimensions: shortens ? wished : undefined,
    dimensions: () => known ?? learnt.get(space),
    learnt: (length: number) => void learnt.set(space, length),
  }
  if (provider === 'bedrock') return bedrockEmbedder({ ...common, address: { baseUrl, region, key } }, ask)
  return openaiEmbedder({ ...common, address: { baseUrl, headers: bearer(key) } }, ask)
}

function llmOf(setup: Setup, { ask }: AiRim): Llm {
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

/** Makes a thing of what it is told, and once only while it is told the same. */
function kept<Told, Made>(make: (told: Told) => Made): (told: Told) => Made {
  let last: { told: string; made: Made } | undefined
  return (told) => {
    const text = JSON.stringify(told)
    if (last?.told !== text) last = { told: text, made: make(told) }
    return last.made
  }
}

/**
 * What is not completely set counts as not set; a test of the settings says why. Where the key is set but cannot be read, the model refuses
 * all work: without vectors nobody would notice.
 */
function orRefusing<Made>(
  settings: AiSettings,
  make: (settings: AiSettings) => Made | undefined,
  refusing: (made: Made, refuse: () => Promise<never>) => Made,
): Made | undefined {
  try {
    return make(settings)
  } catch (error) {
    if (error instanceof AppError && error.code === 'validation_error') return undefined
    const made = make({ get: settings.get, getSecret: () => 'unreadable' })
    return made && refusing(made, () => Promise.reject(error))
  }
}
