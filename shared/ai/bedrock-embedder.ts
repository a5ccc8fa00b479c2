import type { BedrockRuntimeClient } from '@aws-sdk/client-bedrock-runtime'
import { AppError } from '../errors.ts'
import type { AskProvider } from './ask-provider.ts'
import { type BedrockAddress, bedrockClient, sdkResult } from './bedrock-client.ts'
import type { Embedder } from './embedder.ts'
import type { EmbedderOptions } from './openai-embedder.ts'
import type { ProviderInfo } from './provider-info.ts'
import { unreadable } from './provider-refusal.ts'

type Purpose = 'document' | 'query'
/** The request and response format of a model family. */
type Format = {
  body(texts: string[], purpose: Purpose, dimensions: number | undefined): unknown
  vectors(answer: Record<string, unknown>): unknown
}

const inputType = (purpose: Purpose) => (purpose === 'document' ? 'search_document' : 'search_query')

/** Formats by a part of the model id, which inference-profile ids and ARNs contain, too. */
const formats: [RegExp, Format][] = [
  [
    /titan-embed-text-v2/,
    {
      body: ([inputText], _, dimensions) => ({ inputText, normalize: true, ...(dimensions !== undefined && { dimensions }) }),
      vectors: ({ embedding }) => [embedding],
    },
  ],
  [/titan-embed/, { body: ([inputText]) => ({ inputText }), vectors: ({ embedding }) => [embedding] }],
  [
    /cohere\.embed-v4/,
    {
      body: (texts, purpose, dimensions) => ({
        texts,
        input_type: inputType(purpose),
        embedding_types: ['float'],
        ...(dimensions !== undefined && { output_dimension: dimensions }),
      }),
      vectors: ({ embeddings }) => (isRecord(embeddings) ? embeddings.float : embeddings),
    },
  ],
  [
    /cohere\.embed/,
    {
      body: (texts, purpose) => ({ texts, input_type: inputType(purpose), truncate: 'END' }),
      vectors: ({ embeddings }) => (isRecord(embeddings) ? embeddings.float : embeddings),
    },
  ],
]

/** Titan and Cohere models on Bedrock, through InvokeModel. */
export function bedrockEmbedder(
  setup: Omit<EmbedderOptions, 'address'> & { address: BedrockAddress },
  ask: AskProvider,
): Embedder {
  const { info, address, space, limits, search, requestedDimensions } = setup
  let client: Promise<BedrockRuntimeClient> | undefined
  return {
    model: space,
    limits,
    search,
    get dimensions() {
      return setup.dimensions()
    },
    async embed(texts, purpose, signal) {
      const format = formatOf(info)
      client ??= bedrockClient(address, info, ask)
      const bedrock = await client
      const { InvokeModelCommand } = await import('@aws-sdk/client-bedrock-runtime')
      const body = JSON.stringify(format.body(texts, purpose, requestedDimensions))
      const json = 'application/json'
      const command = new InvokeModelCommand({ modelId: info.model, contentType: json, accept: json, body })
      const answer = await sdkResult(info, bedrock.send(command, { ...(signal && { abortSignal: signal }) }), signal)
      const vectors = format.vectors(parse(info, Buffer.from(answer.body).toString('utf8')))
      return setup.checked(Array.isArray(vectors) ? vectors : [], texts.length)
    },
  }
}

function formatOf({ model, settings }: ProviderInfo): Format {
  const format = formats.find(([pattern]) => pattern.test(model.toLowerCase()))
  if (format) return format[1]
  const sentence = `Bedrock's model "${model}" is not a Titan or Cohere embedding model. Check ${settings}.model.`
  throw new AppError('not_configured', sentence)
}

function parse(info: ProviderInfo, text: string): Record<string, unknown> {
  try {
    const answer: unknown = JSON.parse(text)
    if (isRecord(answer)) return answer
  } catch {
    // The error below reports it.
  }
  throw unreadable(info, 'an unreadable response')
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
