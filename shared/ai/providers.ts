import { AppError } from '../errors.ts'
import type { Network } from '../network/network.ts'
import { type AiRim, type EmbedderWish, embedderOf, embedderWish, formerWish, llmOf, spaceOf } from './adapters.ts'
import type { Ai } from './ai.ts'
import { askingProviders } from './ask-provider.ts'
import type { Embedder } from './embedder.ts'
import type { Llm } from './llm.ts'
import { type AiSettings, llmSetup, type Setup } from './setups.ts'

export const aiRim = (network: Network): AiRim => ({ ask: askingProviders(network), learnt: new Map() })

/** The ports that the settings name at each use. A client lives as long as they say the same. */
export function aiOf(settings: AiSettings, rim: AiRim): Ai {
  const embedder = kept((wish: EmbedderWish) => embedderOf(wish, rim))
  const former = kept((wish: EmbedderWish) => embedderOf(wish, rim))
  const llm = kept((setup: Setup) => llmOf(setup, rim))
  const embedderFrom = (make: (wish: EmbedderWish) => Embedder | undefined) =>
    orRefusing(
      settings,
      (read) => ifSet(embedderWish(read), make),
      ({ model, dimensions, limits }, embed) => ({ model, dimensions, limits, embed }),
    )
  return {
    embedder: () => embedderFrom(embedder),
    embedderFor: ({ model }) =>
      embedderFrom((wish) => (spaceOf(wish) === model ? embedder(wish) : ifSet(formerWish(wish, model), former))),
    llm: () =>
      orRefusing(
        settings,
        (read) => ifSet(llmSetup(read), llm),
        ({ model, limits }, ask) => ({ model, limits, ask }),
      ),
  }
}

/** The same, made for one use. Undefined where no provider is set; throws AppError where something is missing. */
export const embedderNow = (settings: AiSettings, rim: AiRim): Embedder | undefined =>
  ifSet(embedderWish(settings), (wish) => embedderOf(wish, rim))
export const llmNow = (settings: AiSettings, rim: AiRim): Llm | undefined =>
  ifSet(llmSetup(settings), (setup) => llmOf(setup, rim))

const ifSet = <Told, Made>(told: Told | undefined, make: (told: Told) => Made): Made | undefined =>
  told === undefined ? undefined : make(told)

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
