import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import type { Embedder } from '../../../shared/ai/embedder.ts'
import { embeddingPool } from '../../../shared/ai/embedding-pool.ts'
import { aiWith } from '../../fixtures/providers/ai-of.ts'
import { type BedrockOptions, startBedrock } from '../../fixtures/providers/bedrock.ts'
import { hashVector } from '../../fixtures/providers/hash-vector.ts'
import { startGemini, startOpenai } from '../../fixtures/providers/openai.ts'
import type { ProviderServer } from '../../fixtures/providers/provider-server.ts'

const key = 'sk-proj-0123456789abcdef'
const expected = (texts: string[], dimensions: number) => texts.map((text) => Float32Array.from(hashVector(text, dimensions)))

let provider: ProviderServer | undefined
afterEach(() => provider?.close())

async function embedderOf(started: Promise<ProviderServer>, settings: Record<string, unknown>) {
  provider = await started
  const { ai, settings: store, dataDir } = aiWith({ 'embedding.baseUrl': provider.url, ...settings })
  const { url } = provider
  return { provider, ai, store, dataDir, embedder: ai.embedder() as Embedder, host: new URL(url).host, url }
}
const bedrockOf = (model: string, options: BedrockOptions = {}, more: Record<string, unknown> = {}) =>
  embedderOf(startBedrock({ key, ...options }), {
    'embedding.provider': 'bedrock',
    'embedding.apiKey': key,
    'embedding.model': model,
    'aws.region': 'eu-central-1',
    ...more,
  })

describe('the embedder of OpenAI', () => {
  const settings = { 'embedding.provider': 'openai', 'embedding.apiKey': key }

  test('requests its default model and knows the length of its vectors', async () => {
    const { embedder, provider, url } = await embedderOf(startOpenai({ key, dimensions: 1536 }), settings)
    expect(embedder).toMatchObject({ model: `openai ${url} text-embedding-3-small`, dimensions: 1536 })
    expect(await embedder.embed(['one', 'two'], 'document')).toEqual(expected(['one', 'two'], 1536))
    expect(provider.requests[0]?.body).toEqual({
      model: 'text-embedding-3-small',
      input: ['one', 'two'],
      encoding_format: 'base64',
    })
  })

  test('requests the configured dimensions from a model that can shorten vectors', async () => {
    const { embedder, provider, url } = await embedderOf(startOpenai({ key }), { ...settings, 'embedding.dimensions': 256 })
    expect(embedder).toMatchObject({ model: `openai ${url} text-embedding-3-small 256`, dimensions: 256 })
    expect(await embedder.embed(['one'], 'document')).toEqual(expected(['one'], 256))
    expect(provider.requests[0]?.body.dimensions).toBe(256)
  })

  test('requests no dimensions from a model that does not support them', async () => {
    const ada = { ...settings, 'embedding.model': 'text-embedding-ada-002', 'embedding.dimensions': 64 }
    const { embedder, provider } = await embedderOf(startOpenai({ key, dimensions: 64 }), ada)
    await embedder.embed(['one'], 'document')
    expect(provider.requests[0]?.body).not.toHaveProperty('dimensions')
  })

  test('puts vectors into the order of the texts by their index', async () => {
    const { embedder, provider } = await embedderOf(startOpenai({ key, dimensions: 1536, shuffled: true }), settings)
    expect(await embedder.embed(['one', 'two', 'three'], 'document')).toEqual(expected(['one', 'two', 'three'], 1536))
    expect(provider.requests).toHaveLength(1)
  })
})

test('the embedder of Gemini requests numbers from the OpenAI endpoint of Gemini', async () => {
  const settings = { 'embedding.provider': 'gemini', 'embedding.apiKey': key, 'embedding.dimensions': 768 }
  const { embedder, provider } = await embedderOf(startGemini({ key }), settings)
  expect(await embedder.embed(['one'], 'document')).toEqual(expected(['one'], 768))
  expect(provider.requests[0]?.path).toBe('/v1beta/openai/embeddings')
  expect(provider.requests[0]?.body).toEqual({
    model: 'gemini-embedding-001',
    input: ['one'],
    encoding_format: 'float',
    dimensions: 768,
  })
})

test('an embedder whose key cannot be read rejects texts with the reason', async () => {
  const { ai, dataDir, embedder, provider } = await embedderOf(startOpenai({ key }), {
    'embedding.provider': 'openai',
    'embedding.apiKey': key,
    'llm.provider': 'openai',
    'llm.apiKey': key,
  })
  rmSync(join(dataDir, 'secrets.key'))
  const refusing = ai.embedder() as Embedder
  expect(refusing.model).toBe(embedder.model)
  await expect(refusing.embed(['one'], 'document')).rejects.toThrow('A stored secret cannot be read')
  const asked = ai.llm()?.ask({ instructions: 'x', input: 'y', answer: z.looseObject({}), maxAnswerTokens: 10 })
  await expect(asked).rejects.toThrow('A stored secret cannot be read')
  expect(provider.requests).toEqual([])
})

test('an embedder without a setting that it needs is not configured', () => {
  expect(aiWith({ 'embedding.provider': 'openai' }).ai.embedder()).toBeUndefined()
  expect(aiWith({ 'embedding.provider': 'custom', 'embedding.model': 'm' }).ai.embedder()).toBeUndefined()
  expect(aiWith({ 'embedding.provider': 'bedrock' }).ai.embedder()).toBeUndefined()
})

describe('the embedder of a custom endpoint', () => {
  const settings = { 'embedding.provider': 'custom', 'embedding.model': 'nomic' }

  test('needs no key', async () => {
    const { embedder, provider } = await embedderOf(startOpenai({ dimensions: 33 }), settings)
    await embedder.embed(['one'], 'document')
    expect(provider.requests[0]?.headers).not.toHaveProperty('authorization')
  })

  test('learns the length of its vectors from the first response, for all later callers', async () => {
    const { embedder, ai, store } = await embedderOf(startOpenai({ dimensions: 33 }), settings)
    expect(embedder.dimensions).toBeUndefined()
    await embedder.embed(['one'], 'document')
    expect(embedder.dimensions).toBe(33)
    store.change({ 'llm.model': 'another' })
    expect(ai.embedder()?.dimensions).toBe(33)
  })

  test('learns the new length after one error if its endpoint returns vectors of another length', async () => {
    const { embedder, provider } = await embedderOf(startOpenai({ dimensions: 33 }), settings)
    await embedder.embed(['one'], 'document')
    provider.failAlways({ kind: 'dimensions', dimensions: 20 })
    await expect(embedder.embed(['two'], 'document')).rejects.toMatchObject({ retry: 'limited' })
    expect(await embedder.embed(['two'], 'document')).toEqual(expected(['two'], 20))
    expect(embedder.dimensions).toBe(20)
  })

  test('checks its vectors against the dimensions that are set', async () => {
    const { embedder, host } = await embedderOf(startOpenai({ dimensions: 33 }), { ...settings, 'embedding.dimensions': 64 })
    await expect(embedder.embed(['one'], 'document')).rejects.toMatchObject({
      retry: 'limited',
      message: `${host} returned a vector of 33 numbers instead of 64.`,
    })
  })

  test('is replaced as soon as the settings change', async () => {
    const { ai, store } = await embedderOf(startOpenai(), settings)
    const before = ai.embedder()
    expect(ai.embedder()).toBe(before)
    store.change({ 'embedding.model': 'bge' })
    expect(ai.embedder()?.model).toMatch(/ bge$/)
    store.change({ 'embedding.provider': null })
    expect(ai.embedder()).toBeUndefined()
  })
})

describe('the embedder of Bedrock', () => {
  test.each([
    ['amazon.titan-embed-text-v1', 1536, { inputText: 'one' }],
    ['amazon.titan-embed-text-v2:0', 1024, { inputText: 'one', normalize: true }],
    ['arn:aws:bedrock:eu-central-1::foundation-model/amazon.titan-embed-text-v2:0', 1024, { inputText: 'one', normalize: true }],
    ['cohere.embed-english-v3', 1024, { texts: ['one'], input_type: 'search_document', truncate: 'END' }],
    ['cohere.embed-multilingual-v3', 1024, { texts: ['one'], input_type: 'search_document', truncate: 'END' }],
    ['eu.cohere.embed-v4:0', 1536, { texts: ['one'], input_type: 'search_document', embedding_types: ['float'] }],
    [
      'arn:aws:bedrock:eu-central-1:123456789012:inference-profile/eu.cohere.embed-v4:0',
      1536,
      { texts: ['one'], input_type: 'search_document', embedding_types: ['float'] },
    ],
  ])('sends the request in the format of %s', async (model, dimensions, body) => {
    const { embedder, provider } = await bedrockOf(model, { dimensions })
    expect(embedder.dimensions).toBe(dimensions)
    expect(await embedder.embed(['one'], 'document')).toEqual(expected(['one'], dimensions))
    expect(provider.requests[0]?.body).toEqual(body)
    expect(decodeURIComponent(provider.requests[0]?.path ?? '')).toBe(`/model/${model}/invoke`)
  })

  test.each([
    ['amazon.titan-embed-text-v2:0', 'dimensions'],
    ['cohere.embed-v4:0', 'output_dimension'],
  ])('requests shorter vectors from %s with the field %s', async (model, field) => {
    const { embedder, provider } = await bedrockOf(model, {}, { 'embedding.dimensions': 256 })
    expect(await embedder.embed(['one'], 'document')).toEqual(expected(['one'], 256))
    expect(provider.requests[0]?.body[field]).toBe(256)
  })

  test.each(['cohere.embed-english-v3', 'cohere.embed-v4:0'])('marks a question for %s as a question', async (model) => {
    const { embedder, provider } = await bedrockOf(model, { dimensions: Number(/v3/.test(model) ? 1024 : 1536) })
    await embedder.embed(['one'], 'query')
    expect(provider.requests[0]?.body.input_type).toBe('search_query')
  })

  test.each([
    ['amazon.titan-embed-text-v2:0', 1024, 3],
    ['cohere.embed-v4:0', 1536, 1],
  ])('sends %s its texts in as many requests as it needs', async (model, dimensions, requests) => {
    const { embedder, provider } = await bedrockOf(model, { dimensions })
    const texts = ['one', 'two', 'three']
    expect(await embeddingPool(embedder).embed(texts)).toEqual(expected(texts, dimensions))
    expect(provider.requests).toHaveLength(requests)
  })

  test('halves a text that is too long for Titan', async () => {
    const { embedder } = await bedrockOf('amazon.titan-embed-text-v2:0', { dimensions: 1024, maxCharacters: 100 })
    expect(await embeddingPool(embedder).embed(['x'.repeat(400)])).toEqual(expected(['x'.repeat(100)], 1024))
  })

  test('rejects a model whose id names no known format', async () => {
    const { embedder } = await bedrockOf('arn:aws:bedrock:eu-central-1:1:application-inference-profile/abc')
    await expect(embedder.embed(['one'], 'document')).rejects.toMatchObject({
      retry: 'never',
      message: expect.stringContaining('is not a Titan or Cohere embedding model. Check embedding.model.'),
    })
  })

  describe('(keyless)', () => {
    const credentials = { accessKeyId: 'AKIDTEST', secretAccessKey: 'secret-0123456789', sessionToken: 'session-0123' }
    const withEnvironment = (values: Record<string, string>) => {
      const before = { ...process.env }
      for (const name of Object.keys(process.env)) if (name.startsWith('AWS_')) delete process.env[name]
      Object.assign(process.env, values)
      onTestFinished(() => {
        for (const name of Object.keys(values)) delete process.env[name]
        Object.assign(process.env, before)
      })
    }
    const unset = { 'embedding.apiKey': null }

    test('signs with the credentials of the machine', async () => {
      withEnvironment({
        AWS_ACCESS_KEY_ID: credentials.accessKeyId,
        AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
        AWS_SESSION_TOKEN: credentials.sessionToken,
        AWS_BEARER_TOKEN_BEDROCK: 'not-this-one',
      })
      const { embedder } = await bedrockOf('eu.cohere.embed-v4:0', { credentials, dimensions: 1536 }, unset)
      expect(await embedder.embed(['one'], 'document')).toEqual(expected(['one'], 1536))
    })

    test('reports the reason of Bedrock if the credentials are wrong', async () => {
      withEnvironment({ AWS_ACCESS_KEY_ID: credentials.accessKeyId, AWS_SECRET_ACCESS_KEY: 'another-one' })
      const { sessionToken: _, ...known } = credentials
      const { embedder } = await bedrockOf('amazon.titan-embed-text-v2:0', { credentials: known }, unset)
      await expect(embedder.embed(['one'], 'document')).rejects.toMatchObject({
        retry: 'never',
        message: expect.stringContaining(
          'Bedrock rejected the key or its permissions (403): The request signature does not match',
        ),
      })
    })

    test('names what it needs if there are no credentials', async () => {
      withEnvironment({
        AWS_EC2_METADATA_DISABLED: 'true',
        AWS_CONFIG_FILE: '/dev/null',
        AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
      })
      const { embedder } = await bedrockOf('amazon.titan-embed-text-v2:0', { credentials }, unset)
      await expect(embedder.embed(['one'], 'document')).rejects.toMatchObject({
        retry: 'never',
        message: 'Bedrock needs embedding.apiKey, or AWS credentials on this machine (role, profile or environment).',
      })
    })
  })
})
