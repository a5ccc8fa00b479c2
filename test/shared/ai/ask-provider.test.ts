import { copyFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { askingProviders } from '../../../shared/ai/ask-provider.ts'
import type { Embedder } from '../../../shared/ai/embedder.ts'
import { type ConnectProxy, startConnectProxy } from '../../fixtures/connect-proxy.ts'
import { aiWith } from '../../fixtures/providers/ai-of.ts'
import { startAnthropic } from '../../fixtures/providers/anthropic.ts'
import { startBedrock } from '../../fixtures/providers/bedrock.ts'
import { startOpenai } from '../../fixtures/providers/openai.ts'
import type { ProviderServer } from '../../fixtures/providers/provider-server.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'

const file = (name: string) => new URL(`../../fixtures/tls/${name}`, import.meta.url).pathname
const tls = { key: readFileSync(file('models.key'), 'utf8'), cert: readFileSync(file('models.pem'), 'utf8') }
const caFile = file('models-ca.pem')
const key = 'sk-proj-0123456789abcdef'
const question = { instructions: 'Answer {}.', input: 'x', answer: z.looseObject({}), mostAnswerTokens: 10 }

let proxy: ConnectProxy
let provider: ProviderServer

async function behindProxy(started: Promise<ProviderServer>) {
  provider = await started
  proxy = await startConnectProxy(provider.url)
}
afterEach(() => Promise.all([proxy.close(), provider.close()]))

const embedderAt = (baseUrl: string, env: Record<string, string>, ca: { caFile?: string } = { caFile }) => {
  const settings = { 'embedding.provider': 'custom', 'embedding.model': 'm', 'embedding.baseUrl': baseUrl }
  return aiWith(settings, { env, ...ca }).ai.embedder() as Embedder
}

describe('a provider behind a proxy, with a certificate of a private authority', () => {
  beforeEach(() => behindProxy(startOpenai({ tls })))

  test.each(['HTTPS_PROXY', 'https_proxy', 'ALL_PROXY'])('is asked through the one that %s names', async (name) => {
    const embedder = embedderAt('https://models.example/v1', { [name]: proxy.url })
    expect(await embedder.embed(['one'], 'document')).toHaveLength(1)
    expect(proxy.tunnels).toEqual(['models.example:443'])
  })

  test('is asked through a proxy that is named by host and port alone', async () => {
    const embedder = embedderAt('https://models.example/v1', { HTTPS_PROXY: new URL(proxy.url).host })
    expect(await embedder.embed(['one'], 'document')).toHaveLength(1)
    expect(proxy.tunnels).toEqual(['models.example:443'])
  })

  test('is asked again once the authority’s file can be read', async () => {
    const later = join(tempDir(), 'ca.pem')
    const embedder = embedderAt('https://models.example/v1', { HTTPS_PROXY: proxy.url }, { caFile: later })
    await expect(embedder.embed(['one'], 'document')).rejects.toThrow(
      `The file of NODE_EXTRA_CA_CERTS (${later}) cannot be read.`,
    )
    copyFileSync(caFile, later)
    expect(await embedder.embed(['one'], 'document')).toHaveLength(1)
  })

  test('keeps its connections for the next requests', async () => {
    const embedder = embedderAt('https://models.example/v1', { HTTPS_PROXY: proxy.url })
    for (let n = 0; n < 10; n++) await embedder.embed([`text ${n}`], 'document')
    expect(provider.requests).toHaveLength(10)
    expect(proxy.tunnels.length).toBeLessThan(10)
  })

  test('is not trusted without the authority’s file', async () => {
    const embedder = embedderAt('https://models.example/v1', { HTTPS_PROXY: proxy.url }, {})
    await expect(embedder.embed(['one'], 'document')).rejects.toMatchObject({
      message: expect.stringMatching(/^The certificate of models\.example is not trusted\. .* NODE_EXTRA_CA_CERTS\.$/),
    })
    expect(provider.requests).toEqual([])
  })

  test.each([
    ['NO_PROXY names its host', 'https://models.example/v1', 'models.example'],
    ['NO_PROXY names its domain', 'https://eu.models.example/v1', '.models.example'],
    ['NO_PROXY is a star', 'https://models.example/v1', '*'],
  ])('is asked without it where %s', async (_, baseUrl, noProxy) => {
    const embedder = embedderAt(baseUrl, { HTTPS_PROXY: proxy.url, NO_PROXY: noProxy })
    await expect(embedder.embed(['one'], 'document')).rejects.toMatchObject({
      message: expect.stringContaining('cannot be reached'),
    })
    expect(proxy.tunnels).toEqual([])
  })

  test('cannot be reached where the proxy cannot', async () => {
    const gone = await startConnectProxy(provider.url)
    await gone.close()
    const embedder = embedderAt('https://models.example/v1', { HTTPS_PROXY: gone.url })
    await expect(embedder.embed(['one'], 'document')).rejects.toMatchObject({
      transient: true,
      message: 'models.example cannot be reached (ECONNREFUSED).',
    })
  })
})

test('a provider on this machine is asked without a proxy', async () => {
  await behindProxy(startOpenai())
  const embedder = embedderAt(provider.url, { HTTPS_PROXY: proxy.url, HTTP_PROXY: proxy.url, ALL_PROXY: proxy.url })
  await embedder.embed(['one'], 'document')
  expect(proxy.tunnels).toEqual([])
})

test('the proxy of this process counts only as far as the install was told of it', async () => {
  await behindProxy(startOpenai({ tls }))
  process.env.HTTPS_PROXY = proxy.url
  onTestFinished(() => {
    delete process.env.HTTPS_PROXY
  })
  await expect(embedderAt('https://models.example/v1', {}).embed(['one'], 'document')).rejects.toMatchObject({ transient: true })
  expect(proxy.tunnels).toEqual([])
})

test('Claude is asked through the proxy', async () => {
  await behindProxy(startAnthropic({ tls, key }))
  const settings = { 'llm.provider': 'anthropic', 'llm.apiKey': key, 'llm.baseUrl': 'https://models.example' }
  await aiWith(settings, { env: { HTTPS_PROXY: proxy.url }, caFile })
    .ai.llm()
    ?.ask(question)
  expect(proxy.tunnels).toEqual(['models.example:443'])
  expect(provider.requests).toHaveLength(1)
})

test('Bedrock is asked through the proxy', async () => {
  await behindProxy(startBedrock({ tls, key }))
  const settings = {
    'llm.provider': 'bedrock',
    'llm.apiKey': key,
    'llm.model': 'amazon.nova-lite-v1:0',
    'aws.region': 'eu-central-1',
    'llm.baseUrl': 'https://bedrock.models.example',
  }
  await aiWith(settings, { env: { HTTPS_PROXY: proxy.url }, caFile })
    .ai.llm()
    ?.ask(question)
  expect(proxy.tunnels).toEqual(['bedrock.models.example:443'])
  expect(provider.requests).toHaveLength(1)
})

test('an answer that never ends is given up', async () => {
  await behindProxy(startOpenai())
  provider.fail({ kind: 'endless' })
  const ask = askingProviders({ env: {} })
  const sent = { url: `${provider.url}/embeddings`, method: 'POST', headers: {}, body: '{}', signal: undefined }
  await expect(ask(sent)).rejects.toMatchObject({ message: `${new URL(provider.url).host} answered with more than 64 MB.` })
})
