import type { AskProvider } from './ask-provider.ts'
import type { Embedder, EmbedderLimits } from './embedder.ts'
import { type Address, decodedResult, openaiClient } from './openai-client.ts'
import type { ProviderInfo } from './provider-info.ts'
import { unreadable } from './provider-refusal.ts'

export type EmbedderOptions = {
  info: ProviderInfo
  address: Address
  /** Names the vectors; see `Embedder`. */
  space: string
  limits: EmbedderLimits
  /** How vectors are to be written: base64 is a fourth of the numbers' size, but not every endpoint knows it. */
  encoding: 'base64' | 'float'
  /** Asked of the model, which knows of such. */
  requestedDimensions: number | undefined
  /** The length of its vectors, as far as it is known. */
  dimensions(): number | undefined
  /** Vectors of so many texts as they came, checked. */
  checked(given: unknown[], texts: number): Float32Array[]
}

/** Embeddings of OpenAI, of Gemini and of every endpoint that speaks like OpenAI's. */
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
      const asked = requestedDimensions === undefined ? {} : { dimensions: requestedDimensions }
      const sent = { model: info.model, input: texts, encoding_format: setup.encoding, ...asked }
      const answer: unknown = await decodedResult(info, embeddings.create(sent, { ...(signal && { signal }) }), signal)
      return setup.checked(ordered(info, answer), texts.length)
    },
  }
}

type Item = { index?: unknown; embedding?: unknown }

/** In the order of the texts, which `index` tells where it is there. */
function ordered(info: ProviderInfo, answer: unknown): unknown[] {
  const data = typeof answer === 'object' && answer !== null && 'data' in answer ? answer.data : undefined
  if (!Array.isArray(data)) throw unreadable(info, 'no vectors')
  const items = data as (Item | null)[]
  const isNumbered = new Set(items.map((item) => item?.index)).size === items.length
  const ordered = isNumbered ? items.toSorted((a, b) => Number(a?.index) - Number(b?.index)) : items
  return ordered.map((item) => item?.embedding)
}
