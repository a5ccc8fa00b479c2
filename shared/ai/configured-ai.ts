import { AppError } from '../errors.ts'
import type { Ai } from './ai.ts'
import type { AiRuntime } from './ai-runtime.ts'
import type { Embedder } from './embedder.ts'
import { type EmbedderConfig, earlierConfig, embedderConfig, vectorSpaceName } from './embedder-config.ts'
import type { Llm } from './llm.ts'
import { makeEmbedder } from './make-embedder.ts'
import { makeLlm } from './make-llm.ts'
import { type AiSettings, llmConfig, type ModelConfig } from './model-config.ts'

/** The ports that the settings name at each use. A client lives as long as they say the same. */
export function configuredAi(settings: AiSettings, runtime: AiRuntime): Ai {
  const embedder = cached((config: EmbedderConfig) => makeEmbedder(config, runtime))
  const earlier = cached((config: EmbedderConfig) => makeEmbedder(config, runtime))
  const llm = cached((config: ModelConfig) => makeLlm(config, runtime))
  const embedderFrom = (make: (config: EmbedderConfig) => Embedder | undefined) =>
    orFailing(
      settings,
      (read) => ifSet(embedderConfig(read), make),
      ({ model, dimensions, limits }, embed) => ({ model, dimensions, limits, embed }),
    )
  return {
    embedder: () => embedderFrom(embedder),
    embedderFor: ({ model }) =>
      embedderFrom((config) =>
        vectorSpaceName(config) === model ? embedder(config) : ifSet(earlierConfig(config, model), earlier),
      ),
    llm: () =>
      orFailing(
        settings,
        (read) => ifSet(llmConfig(read), llm),
        ({ model, limits }, ask) => ({ model, limits, ask }),
      ),
  }
}

/** The same, made for one use. Undefined where no provider is set; throws AppError where something is missing. */
export const currentEmbedder = (settings: AiSettings, runtime: AiRuntime): Embedder | undefined =>
  ifSet(embedderConfig(settings), (config) => makeEmbedder(config, runtime))
export const currentLlm = (settings: AiSettings, runtime: AiRuntime): Llm | undefined =>
  ifSet(llmConfig(settings), (config) => makeLlm(config, runtime))

const ifSet = <Told, Made>(told: Told | undefined, make: (told: Told) => Made): Made | undefined =>
  told === undefined ? undefined : make(told)

/** Makes a thing of what it is told, and once only while it is told the same. */
function cached<Told, Made>(make: (told: Told) => Made): (told: Told) => Made {
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
function orFailing<Made>(
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
