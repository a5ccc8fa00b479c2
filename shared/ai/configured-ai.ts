import { AppError } from '../errors.ts'
import type { Ai } from './ai.ts'
import type { AiRuntime } from './ai-runtime.ts'
import type { Embedder } from './embedder.ts'
import { type EmbedderConfig, earlierConfig, embedderConfig, vectorSpaceName } from './embedder-config.ts'
import type { Llm } from './llm.ts'
import { makeEmbedder } from './make-embedder.ts'
import { makeLlm } from './make-llm.ts'
import { type AiSettings, llmConfig, type ModelConfig } from './model-config.ts'

/** The models that the settings select, read at each use. A client is reused until its settings change. */
export function configuredAi(settings: AiSettings, runtime: AiRuntime): Ai {
  const embedder = cached((config: EmbedderConfig) => makeEmbedder(config, runtime))
  const earlier = cached((config: EmbedderConfig) => makeEmbedder(config, runtime))
  const llm = cached((config: ModelConfig) => makeLlm(config, runtime))
  const embedderFrom = (make: (config: EmbedderConfig) => Embedder | undefined) =>
    orFailing(
      settings,
      (read) => ifSet(embedderConfig(read, runtime), make),
      ({ model, dimensions, limits, search }, embed) => ({ model, dimensions, limits, search, embed }),
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

/** The embedder for one use. Undefined if no provider is set. Throws AppError if a setting is missing. */
export const currentEmbedder = (settings: AiSettings, runtime: AiRuntime): Embedder | undefined =>
  ifSet(embedderConfig(settings, runtime), (config) => makeEmbedder(config, runtime))
export const currentLlm = (settings: AiSettings, runtime: AiRuntime): Llm | undefined =>
  ifSet(llmConfig(settings), (config) => makeLlm(config, runtime))

const ifSet = <Input, Made>(input: Input | undefined, make: (input: Input) => Made): Made | undefined =>
  input === undefined ? undefined : make(input)

/** Caches the last result of `make` until its input changes. */
function cached<Input, Made>(make: (input: Input) => Made): (input: Input) => Made {
  let last: { input: string; made: Made } | undefined
  return (input) => {
    const text = JSON.stringify(input)
    if (last?.input !== text) last = { input: text, made: make(input) }
    return last.made
  }
}

/**
 * Incomplete settings count as not set; testing them reports why. If a stored key cannot be read, every request of the model fails, because
 * missing vectors would go unnoticed.
 */
function orFailing<Made>(
  settings: AiSettings,
  make: (settings: AiSettings) => Made | undefined,
  failing: (made: Made, fail: () => Promise<never>) => Made,
): Made | undefined {
  try {
    return make(settings)
  } catch (error) {
    if (error instanceof AppError && error.code === 'validation_error') return undefined
    const made = make({ get: settings.get, getSecret: () => 'unreadable' })
    return made && failing(made, () => Promise.reject(error))
  }
}
