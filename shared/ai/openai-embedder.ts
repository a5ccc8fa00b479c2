import type { AskProvider } from './ask-provider.ts'
import type { Embedder, EmbedderLimits } from './embedder.ts'
import { type Address, decodedResult, openaiClient } from './openai-client.ts'
import type { ProviderInfo } from './provider-info.ts'
import { unreadable } from './provider-refusal.ts'

export type EmbedderOptions = {
  info: ProviderInfo
  address: Address
  /** Name of the vector space; see `Embedder`. */
  space: string
  limits: EmbedderLimits
  /** Base64 takes a quarter of the size, but not every endpoint supports it. */
  encoding: 'base64' | 'float'
  /** Only for models that support it. */
  requestedDimensions: number | undefined
  /** The length of the vectors, if known. */
  dimensions(): number | undefined
  /** Checks the vectors of a response to that many texts. */
  checked(given: unknown[], texts: number): Float32Array[]
}

/** Embeddings from OpenAI, Gemini and compatible endpoints. */
export function openaiEmbedder(setup: EmbedderOptions, ask: AskProvider): Embedder {
  const { info, address, space, limits, requestedDimensions } = setup
  let client: ReturnType<typeof openaiClient> | undefined
  return {
    model: space,
    limits,
    get dimensions() {
      return setup.dimensions()
    },
    async embed(texts, _purpose, signal) {
      client ??= openaiClient(address, info, ask)
      const { embeddings } = await client
      const options = requestedDimensions === undefined ? {} : { dimensions: requestedDimensions }
      const body = { model: info.model, input: texts, encoding_format: setup.encoding, ...options }
      const answer: unknown = await decodedResult(info, embeddings.create(body, { ...(signal && { signal }) }), signal)
      return setup.checked(ordered(info, answer), texts.length)
    },
  }
}

type Item = { index?: unknown; embedding?: unknown }

/** In the order of the texts, by `index` if the response has it. */
function ordered(info: ProviderInfo, answer: unknown): unknown[] {
  const data = typeof answer === 'object' && answer !== null && 'data' in answer ? answer.data : undefined
  if (!Array.isArray(data)) throw unreadable(info, 'no vectors')
  const items = data as (Item | null)[]
  const isNumbered = new Set(items.map((item) => item?.index)).size === items.length
  const ordered = isNumbered ? items.toSorted((a, b) => Number(a?.index) - Number(b?.index)) : items
  return ordered.map((item) => item?.embedding)
}
