import type { AskProvider } from './ask-provider.ts'
import type { Embedder, EmbedderLimits, VectorSearch } from './embedder.ts'
import { type Address, decodedResult, openaiClient } from './openai-client.ts'
import type { ProviderInfo } from './provider-info.ts'
import { isRefusal, providerStatus, quotedError, unreadable } from './provider-refusal.ts'

export type EmbedderOptions = {
  info: ProviderInfo
  address: Address
  /** Name of the vector space; see `Embedder`. */
  space: string
  limits: EmbedderLimits
  search: VectorSearch
  /** Set only for models that support it. */
  requestedDimensions: number | undefined
  /** The length of the vectors, if known. */
  dimensions(): number | undefined
  /** Checks the vectors of a response to that many texts. */
  checked(vectors: unknown[], texts: number): Float32Array[]
}

/** Base64 is shorter than numbers, which endpoints send if the field is absent. Some reject the value, or the field. */
type Encoding = 'base64' | 'float' | undefined

/** Statuses of servers that fail at a value that they do not know. */
const failsAtEncoding = new Set<number | undefined>([500, 501])

type OpenaiEmbedderOptions = EmbedderOptions & {
  /** The encoding; undefined if only requests show which one the endpoint supports. */
  encoding: 'base64' | 'float' | undefined
  /** Addresses that do not support base64. */
  numbersOnly: Set<string>
}

/** Embeddings from OpenAI, Gemini and compatible endpoints. */
export function openaiEmbedder(setup: OpenaiEmbedderOptions, ask: AskProvider): Embedder {
  const { info, address, space, limits, search, requestedDimensions, numbersOnly } = setup
  const url = `${address.baseUrl}/embeddings`
  let client: ReturnType<typeof openaiClient> | undefined
  let knownEncoding: Encoding | 'unknown' = setup.encoding ?? 'unknown'
  let next: Encoding = 'base64'
  const request = async (texts: string[], encoding: Encoding, signal: AbortSignal | undefined) => {
    client ??= openaiClient(address, info, ask)
    const body = {
      model: info.model,
      input: texts,
      ...(encoding && { encoding_format: encoding }),
      ...(requestedDimensions !== undefined && { dimensions: requestedDimensions }),
    }
    // The client's own method for embeddings adds the field.
    const sent = (await client).post<unknown>('/embeddings', { body, ...(signal && { signal }) })
    const answer = await decodedResult(info, sent, signal, `an unreadable response at ${url}`)
    return setup.checked(ordered(info, answer, url), texts.length)
  }
  const learn = (encoding: Encoding) => {
    knownEncoding = encoding
    if (encoding === undefined) numbersOnly.add(address.baseUrl)
  }
  /**
   * A failure makes the next request use the other form until one form has worked. A single text uses both immediately, since it
   * may be the only one.
   */
  const requestUnknown = async (texts: string[], signal: AbortSignal | undefined): Promise<Float32Array[]> => {
    const encoding = next
    try {
      const vectors = await request(texts, encoding, signal)
      learn(encoding)
      return vectors
    } catch (error) {
      if (!isRefusal(error) && !failsAtEncoding.has(providerStatus(error))) throw error
      next = encoding === 'base64' ? undefined : 'base64'
      if (encoding === undefined || texts.length > 1) throw error
      return requestUnknown(texts, signal)
    }
  }
  return {
    model: space,
    limits,
    search,
    get dimensions() {
      return setup.dimensions()
    },
    async embed(texts, _purpose, signal) {
      if (setup.encoding === undefined && numbersOnly.has(address.baseUrl)) return request(texts, undefined, signal)
      return knownEncoding === 'unknown' ? requestUnknown(texts, signal) : request(texts, knownEncoding, signal)
    },
  }
}

type Item = { index?: unknown; embedding?: unknown }

/** The vectors in the order of the texts, by `index` if the response has it. */
function ordered(info: ProviderInfo, answer: unknown, url: string): unknown[] {
  const data = typeof answer === 'object' && answer !== null && 'data' in answer ? answer.data : undefined
  if (!Array.isArray(data)) throw unreadable(info, `no vectors at ${url}${quotedError(info, answer)}`)
  const items = data as (Item | null)[]
  const isNumbered = new Set(items.map((item) => item?.index)).size === items.length
  const ordered = isNumbered ? items.toSorted((a, b) => Number(a?.index) - Number(b?.index)) : items
  return ordered.map((item) => item?.embedding)
}
