import type { Network } from '../network.ts'
import type { Ai } from './ai.ts'
import { type AskProvider, askingProviders } from './ask-provider.ts'
import type { Embedder } from './embedder.ts'
import { embeddingLimits } from './models.ts'
import { type EmbedderSetup, openaiEmbedder } from './openai-embedder.ts'
import type { Named } from './provider-refusal.ts'
import { type AiSettings, embeddingSetup, type Setup } from './setups.ts'

/** What outlives a change of the settings. */
export type AiRim = {
  ask: AskProvider
  /** The length of the vectors of each space that was seen. */
  learnt: Map<string, number>
}

export const aiRim = (network: Network): AiRim => ({ ask: askingProviders(network), learnt: new Map() })

/** The ports that the settings name at each use. A client lives as long as they say the same. */
export function aiOf(settings: AiSettings, rim: AiRim): Ai {
  const embedder = kept((setup: EmbedderWish) => embedderOf(setup, rim))
  return {
    embedder() {
      const setup = orNone(() => embeddingSetup(settings))
      return setup && embedder({ ...setup, wished: settings.get('embedding.dimensions') })
    },
    llm: () => undefined,
  }
}

type EmbedderWish = NonNullable<ReturnType<typeof embeddingSetup>> & { wished: number | undefined }

function embedderOf(setup: EmbedderWish, { ask, learnt }: AiRim): Embedder {
  const { provider, model, wished } = setup
  const { dimensions, shortens, ...limits } = embeddingLimits(provider, model)
  const space = [provider, setup.baseUrl, model, ...(wished === undefined ? [] : [wished])].join(' ')
  const known = wished ?? (provider === 'custom' ? undefined : dimensions)
  const common: EmbedderSetup = {
    named: namedBy(setup, 'embedding'),
    address: { baseUrl: setup.baseUrl, headers: bearer(setup.key) },
    space,
    limits,
    encoding: provider === 'gemini' ? 'float' : 'base64',
    askedDimensions: shortens ? wished : undefined,
    dimensions: () => known ?? learnt.get(space),
    learnt: (length) => learnt.set(space, length),
  }
  return openaiEmbedder(common, ask)
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

/** What is not completely set, or cannot be read, counts as not set: work goes on without it, and a test of the settings says why. */
function orNone<Made>(make: () => Made): Made | undefined {
  try {
    return make()
  } catch {
    return undefined
  }
}
