import type { AiRuntime } from './ai-runtime.ts'
import { bedrockEmbedder } from './bedrock-embedder.ts'
import { checkVectors } from './check-vectors.ts'
import type { Embedder, VectorSearch } from './embedder.ts'
import { type EmbedderConfig, vectorSpaceName } from './embedder-config.ts'
import { catalogueModel } from './local/catalogue.ts'
import { localEmbedder } from './local-embedder.ts'
import { embeddingLimits } from './models.ts'
import { bearerHeaders } from './openai-client.ts'
import { openaiEmbedder } from './openai-embedder.ts'
import { providerInfo } from './provider-info.ts'

/** The encodings that providers support. The responses of a custom endpoint show it. */
const encodings = { openai: 'base64', gemini: 'float', custom: undefined } as const

export function makeEmbedder(config: EmbedderConfig, { ask, local, knownDimensions, numbersOnly }: AiRuntime): Embedder {
  const { provider, model, requestedDimensions } = config
  const { dimensions, shortens, ...limits } = embeddingLimits(provider, model)
  const space = vectorSpaceName(config)
  const declared = requestedDimensions ?? (provider === 'custom' ? undefined : dimensions)
  const common = (info: { name: string }) => ({
    space,
    limits,
    search: vectorSearch(config),
    dimensions: () => declared ?? knownDimensions.get(space),
    checked(values: unknown[], texts: number) {
      const length = declared ?? knownDimensions.get(space)
      // A learned length may be wrong or outdated: after a contradiction the next response decides.
      knownDimensions.delete(space)
      const vectors = checkVectors(info, values, texts, length)
      if (vectors[0]) knownDimensions.set(space, vectors[0].length)
      return vectors
    },
  })
  if (provider === 'local')
    return localEmbedder({ ...common({ name: `The model "${model}"` }), name: model, version: config.version }, local)
  const { baseUrl, region = '', key } = config
  const info = providerInfo(config, 'embedding')
  const options = {
    ...common(info),
    info,
    requestedDimensions: shortens ? requestedDimensions : undefined,
  }
  if (provider === 'bedrock') return bedrockEmbedder({ ...options, address: { baseUrl, region, key } }, ask)
  return openaiEmbedder(
    { ...options, encoding: encodings[provider], numbersOnly, address: { baseUrl, headers: bearerHeaders(key) } },
    ask,
  )
}

/** Fitted on the questions of docs/ranking.md, with the models of the catalogue that are measured. */
const measuredWeight = 1.2
/** For a model that nobody has measured: with more, a poor one would make answers worse. */
const carefulWeight = 0.3

function vectorSearch({ provider, model, weight }: EmbedderConfig): VectorSearch {
  const known = provider === 'local' ? catalogueModel(model) : undefined
  return {
    weight: weight ?? (known?.measured ? measuredWeight : carefulWeight),
    readsOnlyEnglish: known?.languages.every((language) => language === 'en') ?? false,
  }
}
