import type { AskProvider } from './ask-provider.ts'
import type { Embedder, EmbedderLimits } from './embedder.ts'
import { type Address, decoded, openaiClient } from './openai-client.ts'
import { type Named, unreadable } from './provider-refusal.ts'

export type EmbedderSetup = {
  named: Named
  address: Address
  /** Names the vectors; see `Embedder`. */
  space: string
  limits: EmbedderLimits
  /** How vectors are to be written: base64 is a fourth of the numbers' size, but not every endpoint knows it. */
  encoding: 'base64' | 'float'
  /** Asked of the model, which knows of such. */
  askedDimensions: number | undefined
  /** The length of its vectors, as far as it is known. */
  dimensions(): number | undefined
  /** Vectors of so many texts as they came, checked. */
  checked(given: unknown[], texts: number): Float32Array[]
}

/** Embeddings of OpenAI, of Gemini and of every endpoint that speaks like OpenAI's. */
export function openaiEmbedder(setup: EmbedderSetup, ask: AskProvider): Embedder {
  const { named, address, space, limits, askedDimensions } = setup
  let client: ReturnType<typeof openaiClient> | undefined
  return {
    model: space,
    limits,
    get dimensions() {
      return setup.dimensions()
    },
    async embed(texts, _purpose, signal) {
      client ??= openaiClient(address, named, ask)
      const { embeddings } = await client
      const asked = askedDimensions === undefined ? {} : { dimensions: askedDimensions }
      const sent = { model: named.model, input: texts, encoding_format: setup.encoding, ...asked }
      const answer: unknown = await decoded(named, embeddings.create(sent, { ...(signal && { signal }) }), signal)
      return setup.checked(inOrder(named, answer), texts.length)
    },
  }
}

type Item = { index?: unknown; embedding?: unknown }

/** In the order of the texts, which `index` tells where it is there. */
function inOrder(named: Named, answer: unknown): unknown[] {
  const data = typeof answer === 'object' && answer !== null && 'data' in answer ? answer.data : undefined
  if (!Array.isArray(data)) throw unreadable(named, 'no vectors')
  const items = data as (Item | null)[]
  const isNumbered = new Set(items.map((item) => item?.index)).size === items.length
  const ordered = isNumbered ? items.toSorted((a, b) => Number(a?.index) - Number(b?.index)) : items
  return ordered.map((item) => item?.embedding)
}
