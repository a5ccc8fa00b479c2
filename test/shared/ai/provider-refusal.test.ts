import { readFileSync } from 'node:fs'
import { afterEach, describe, expect, test } from 'vitest'
import { providerClient } from '../../../shared/ai/ask-provider.ts'
import type { Embedder } from '../../../shared/ai/embedder.ts'
import { providerRefusal } from '../../../shared/ai/provider-refusal.ts'
import { aiWith } from '../../fixtures/providers/ai-of.ts'
import { startBedrock } from '../../fixtures/providers/bedrock.ts'
import { type OpenaiOptions, startGemini, startOpenai } from '../../fixtures/providers/openai.ts'
import type { Fault, ProviderServer } from '../../fixtures/providers/provider-server.ts'

const key = 'sk-proj-0123456789abcdef'

let provider: ProviderServer | undefined
afterEach(() => provider?.close())

async function openai(options: OpenaiOptions = {}, more: Record<string, unknown> = {}) {
  provider = await startOpenai({ key, ...options })
  const settings = { 'embedding.provider': 'openai', 'embedding.baseUrl': provider.url, 'embedding.apiKey': key, ...more }
  return { provider, embedder: aiWith(settings).ai.embedder() as Embedder }
}
const refusalOf = (embedder: Embedder) =>
  embedder.embed(['one'], 'document').then(
    () => 'no refusal',
    (error: unknown) => error,
  )

describe('the error of a provider', () => {
  test.each<[string, Fault, object]>([
    [
      'a rejected key',
      { kind: 'status', status: 401, message: 'Incorrect API key provided.' },
      {
        message: 'OpenAI rejected the key or its permissions (401): Incorrect API key provided. Check embedding.apiKey.',
        retry: 'never',
      },
    ],
    [
      'an unknown model',
      { kind: 'status', status: 404, message: 'The model does not exist' },
      {
        message: expect.stringMatching(
          /^OpenAI has no model "text-embedding-3-small" here \(404\): .*\. Check embedding\.model, and embedding\.baseUrl: http:.*\/v1\/embeddings was asked\.$/,
        ),
        retry: 'never',
      },
    ],
    [
      'a used-up quota',
      { kind: 'status', status: 429, message: 'You exceeded your current quota', code: 'insufficient_quota' },
      { code: 'spending_limit_exceeded', retry: 'never' },
    ],
    [
      'a rejected request, whatever its words',
      { kind: 'status', status: 400, message: 'Your credit balance is too low. Unknown model, maximum context length.' },
      { code: 'validation_error', retry: 'never' },
    ],
    [
      'a provider that is not ready',
      { kind: 'status', status: 424, message: 'Model is warming up', retryAfter: '3' },
      {
        code: 'rate_limit_exceeded',
        message: 'OpenAI is not ready (424): Model is warming up.',
        retry: 'limited',
        retryAfterMs: 3_000,
      },
    ],
    [
      'a conflict as an outage',
      { kind: 'status', status: 409, message: 'Conflict' },
      { message: 'OpenAI failed (409): Conflict.', retry: 'limited' },
    ],
    [
      'too many requests in the words of Gemini',
      {
        kind: 'status',
        status: 429,
        message: 'You exceeded your current quota, please check your plan and billing details. "retryDelay": "37s"',
      },
      { code: 'rate_limit_exceeded', retry: 'limited' },
    ],
    [
      'too many requests',
      { kind: 'status', status: 429, message: 'Rate limit reached', retryAfter: '7' },
      { code: 'rate_limit_exceeded', retry: 'limited', retryAfterMs: 7_000 },
    ],
    [
      'a failure of the provider',
      { kind: 'status', status: 502, message: 'Bad gateway\nof the provider' },
      { message: 'OpenAI failed (502): Bad gateway of the provider.', retry: 'limited' },
    ],
    [
      'a redirect',
      { kind: 'redirect', to: 'http://127.0.0.1:1/elsewhere' },
      {
        message: 'OpenAI responds with a redirect (307), which is not followed. Check embedding.baseUrl.',
        retry: 'never',
      },
    ],
    [
      'a rejected request',
      { kind: 'status', status: 400, message: 'Bad parameter' },
      { code: 'validation_error', message: 'OpenAI rejected the request (400): Bad parameter.', retry: 'never' },
    ],
  ])('describes in one sentence %s', async (_, fault, error) => {
    const { provider, embedder } = await openai()
    provider.fail(fault)
    expect(await refusalOf(embedder)).toMatchObject(error)
  })

  test('names an address without a listener', async () => {
    const { provider, embedder } = await openai()
    await provider.close()
    const { host } = new URL(provider.url)
    expect(await refusalOf(embedder)).toMatchObject({ message: `${host} cannot be reached (ECONNREFUSED).`, retry: 'limited' })
  })

  test('names the setting to change for an untrusted certificate', async () => {
    const pem = (name: string) => readFileSync(new URL(`../../fixtures/tls/${name}`, import.meta.url), 'utf8')
    const { provider, embedder } = await openai({ tls: { key: pem('server.key'), cert: pem('server.pem') } })
    expect(await refusalOf(embedder)).toMatchObject({
      message: `The certificate of ${new URL(provider.url).host} is not trusted. If it was issued by a private authority, set NODE_EXTRA_CA_CERTS to that authority's PEM file.`,
      retry: 'never',
    })
  })

  test('names the timeout of a provider that does not respond', async () => {
    const { provider } = await openai()
    provider.fail({ kind: 'silent' })
    const ask = providerClient({ env: {} }, 100)
    const sent = { url: `${provider.url}/embeddings`, method: 'POST', headers: {}, body: '{}', signal: undefined }
    await expect(ask(sent)).rejects.toMatchObject({
      code: 'timeout',
      message: `${new URL(provider.url).host} did not respond within 1 s.`,
      retry: 'limited',
    })
  })

  test('quotes the message of Gemini or Bedrock about a rejected key', async () => {
    const gemini = await startGemini({ key: 'another' })
    const bedrock = await startBedrock({ key: 'another' })
    const at = (settings: Record<string, unknown>) => aiWith({ ...settings, 'embedding.apiKey': key }).ai.embedder() as Embedder
    const ofGemini = at({ 'embedding.provider': 'gemini', 'embedding.baseUrl': gemini.url })
    expect(await refusalOf(ofGemini)).toMatchObject({
      message: 'Gemini rejected the key or its permissions (401): Incorrect API key provided: ***. Check embedding.apiKey.',
    })
    const ofBedrock = at({ 'embedding.provider': 'bedrock', 'embedding.baseUrl': bedrock.url, 'aws.region': 'eu-central-1' })
    expect(await refusalOf(ofBedrock)).toMatchObject({
      message: 'Bedrock rejected the key or its permissions (403): Invalid API Key ***. Check embedding.apiKey.',
    })
    await Promise.all([gemini.close(), bedrock.close()])
  })
})

test('the pause that Gemini requests in the body of its response is respected', () => {
  const details = [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '37.5s' }]
  const body = Buffer.from(JSON.stringify([{ error: { code: 429, message: 'Slow down.', details } }]))
  const named = { name: 'Gemini', model: 'm', settings: 'embedding' as const, secrets: [] }
  expect(providerRefusal(named, { status: 429, headers: {}, body })).toMatchObject({
    message: 'Gemini received too many requests (429): Slow down.',
    retryAfterMs: 37_500,
  })
})

test.each([
  ['whole', `Your key ${key} is wrong`, 'Your key *** is wrong'],
  ['in part', `Your key sk-proj-01234567... is wrong`, 'Your key *** is wrong'],
  ['its end', `Your key ****89abcdef is wrong`, 'Your key *** is wrong'],
])('a key that the provider quotes (%s) is redacted in the error', async (_, message, shown) => {
  const { provider, embedder } = await openai()
  provider.fail({ kind: 'status', status: 401, message })
  expect(await refusalOf(embedder)).toMatchObject({ message: expect.stringContaining(`: ${shown}. Check`) })
})

test('a short key that the provider quotes is redacted in the error', async () => {
  provider = await startOpenai({ key: 'another' })
  const settings = { 'embedding.provider': 'openai', 'embedding.baseUrl': provider.url, 'embedding.apiKey': 'k-12' }
  const embedder = aiWith(settings).ai.embedder() as Embedder
  expect(await refusalOf(embedder)).toMatchObject({ message: expect.stringContaining('Incorrect API key provided: ***.') })
})
