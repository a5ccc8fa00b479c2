import { once } from 'node:events'
import { copyFileSync, readFileSync } from 'node:fs'
import http from 'node:http'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { providerClient } from '../../../shared/ai/ask-provider.ts'
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
const question = { instructions: 'Answer {}.', input: 'x', answer: z.looseObject({}), maxAnswerTokens: 10 }

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

  test.each(['HTTPS_PROXY', 'https_proxy', 'ALL_PROXY'])('receives the request through the proxy that %s names', async (name) => {
    const embedder = embedderAt('https://models.example/v1', { [name]: proxy.url })
    expect(await embedder.embed(['one'], 'document')).toHaveLength(1)
    expect(proxy.tunnels).toEqual(['models.example:443'])
  })

  test('receives the request through a proxy that is named by host and port only', async () => {
    const embedder = embedderAt('https://models.example/v1', { HTTPS_PROXY: new URL(proxy.url).host })
    expect(await embedder.embed(['one'], 'document')).toHaveLength(1)
    expect(proxy.tunnels).toEqual(['models.example:443'])
  })

  test('receives the next request after the file of the authority becomes readable', async () => {
    const later = join(tempDir(), 'ca.pem')
    const embedder = embedderAt('https://models.example/v1', { HTTPS_PROXY: proxy.url }, { caFile: later })
    await expect(embedder.embed(['one'], 'document')).rejects.toThrow(`The file ${later} in NODE_EXTRA_CA_CERTS cannot be read.`)
    copyFileSync(caFile, later)
    expect(await embedder.embed(['one'], 'document')).toHaveLength(1)
  })

  test('keeps its connections for the next requests', async () => {
    const embedder = embedderAt('https://models.example/v1', { HTTPS_PROXY: proxy.url })
    for (let n = 0; n < 10; n++) await embedder.embed([`text ${n}`], 'document')
    expect(provider.requests).toHaveLength(10)
    expect(proxy.tunnels.length).toBeLessThan(10)
  })

  test('is not trusted if the file of the authority is not configured', async () => {
    const embedder = embedderAt('https://models.example/v1', { HTTPS_PROXY: proxy.url }, {})
    await expect(embedder.embed(['one'], 'document')).rejects.toMatchObject({
      message: expect.stringMatching(
        /^The certificate of models\.example is not trusted\. .* NODE_EXTRA_CA_CERTS to that authority's PEM file\.$/,
      ),
    })
    expect(provider.requests).toEqual([])
  })

  test.each([
    ['NO_PROXY names its host', 'https://models.example/v1', 'models.example'],
    ['NO_PROXY names its domain', 'https://eu.models.example/v1', '.models.example'],
    ['NO_PROXY is a star', 'https://models.example/v1', '*'],
  ])('receives the request without the proxy if %s', async (_, baseUrl, noProxy) => {
    const embedder = embedderAt(baseUrl, { HTTPS_PROXY: proxy.url, NO_PROXY: noProxy })
    await expect(embedder.embed(['one'], 'document')).rejects.toMatchObject({
      message: expect.stringContaining('cannot be reached'),
    })
    expect(proxy.tunnels).toEqual([])
  })

  test('cannot be reached if the proxy cannot be reached', async () => {
    const gone = await startConnectProxy(provider.url)
    await gone.close()
    const embedder = embedderAt('https://models.example/v1', { HTTPS_PROXY: gone.url })
    await expect(embedder.embed(['one'], 'document')).rejects.toMatchObject({
      retry: 'limited',
      message: `Proxy ${new URL(gone.url).host} cannot be reached (ECONNREFUSED).`,
    })
  })
})

describe('a proxy', () => {
  const sent = { url: 'https://models.example/v1', method: 'POST', headers: {}, body: '{}', signal: undefined }
  const closers: (() => void)[] = []
  beforeEach(() => behindProxy(startOpenai()))
  afterEach(() => closers.splice(0).map((close) => close()))

  async function startBroken(answer: (socket: Socket) => void) {
    let connections = 0
    const sockets = new Set<Socket>()
    const server = createServer((socket) => {
      connections += 1
      sockets.add(socket)
      socket.on('error', () => undefined).once('data', () => answer(socket))
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    closers.push(() => {
      server.close()
      for (const socket of sockets) socket.destroy()
    })
    const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
    return { host, env: { HTTPS_PROXY: `http://user:secret-of-the-proxy@${host}` }, connections: () => connections }
  }

  test('is named in the error, after one attempt, if it closes the connection without a response', async () => {
    const broken = await startBroken((socket) => socket.end())
    await expect(providerClient({ env: broken.env })(sent)).rejects.toMatchObject({
      retry: 'limited',
      message: expect.stringContaining(`Proxy ${broken.host} cannot be reached (`),
    })
    expect(broken.connections()).toBe(1)
  })

  test('is named with its status, but without its password, if it rejects the tunnel', async () => {
    const broken = await startBroken((socket) => socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n'))
    await expect(providerClient({ env: broken.env })(sent)).rejects.toMatchObject({
      retry: 'limited',
      message: `Proxy ${broken.host} refused the connection to models.example:443 (407).`,
    })
  })

  test('causes a timeout if it does not respond', async () => {
    const broken = await startBroken(() => undefined)
    await expect(providerClient({ env: broken.env }, 500)(sent)).rejects.toMatchObject({ code: 'timeout', retry: 'limited' })
  })

  test('is left when the caller aborts, if it does not respond', async () => {
    const ends = new AbortController()
    const broken = await startBroken(() => ends.abort(new Error('the job was cancelled')))
    await expect(providerClient({ env: broken.env })({ ...sent, signal: ends.signal })).rejects.toThrow('the job was cancelled')
  })

  test('is rejected with an error that names the variables if its address is invalid', async () => {
    await expect(providerClient({ env: { HTTPS_PROXY: 'proxy.example:port' } })(sent)).rejects.toThrow(
      /^HTTPS_PROXY, HTTP_PROXY or ALL_PROXY must be the address of a proxy/,
    )
  })
})

test('a provider on this machine receives its requests without a proxy', async () => {
  await behindProxy(startOpenai())
  const embedder = embedderAt(provider.url, { HTTPS_PROXY: proxy.url, HTTP_PROXY: proxy.url, ALL_PROXY: proxy.url })
  await embedder.embed(['one'], 'document')
  expect(proxy.tunnels).toEqual([])
})

test('the proxy in the environment of this process is ignored if the install was not configured with it', async () => {
  await behindProxy(startOpenai({ tls }))
  process.env.HTTPS_PROXY = proxy.url
  onTestFinished(() => {
    delete process.env.HTTPS_PROXY
  })
  await expect(embedderAt('https://models.example/v1', {}).embed(['one'], 'document')).rejects.toMatchObject({ retry: 'limited' })
  expect(proxy.tunnels).toEqual([])
})

test('the requests to Claude pass through the proxy', async () => {
  await behindProxy(startAnthropic({ tls, key }))
  const settings = { 'llm.provider': 'anthropic', 'llm.apiKey': key, 'llm.baseUrl': 'https://models.example' }
  await aiWith(settings, { env: { HTTPS_PROXY: proxy.url }, caFile })
    .ai.llm()
    ?.ask(question)
  expect(proxy.tunnels).toEqual(['models.example:443'])
  expect(provider.requests).toHaveLength(1)
})

test('the requests to Bedrock pass through the proxy', async () => {
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

test('a response that never ends is rejected after 64 MB', async () => {
  await behindProxy(startOpenai())
  provider.fail({ kind: 'endless' })
  const ask = providerClient({ env: {} })
  const sent = { url: `${provider.url}/embeddings`, method: 'POST', headers: {}, body: '{}', signal: undefined }
  await expect(ask(sent)).rejects.toMatchObject({ message: `${new URL(provider.url).host} returned more than 64 MB.` })
})

test('an error response that never ends is read only at its beginning', async () => {
  await behindProxy(startOpenai())
  const piece = 'maximum '.repeat(1_000)
  const server = http.createServer((_, response) => {
    response.writeHead(500)
    const write = () => {
      while (!response.destroyed && response.write(piece));
    }
    response.on('drain', write)
    write()
  })
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/embeddings`
  const answer = await providerClient({ env: {} })({ url, method: 'POST', headers: {}, body: '{}', signal: undefined })
  expect(answer).toMatchObject({ status: 500, body: { length: 65_536 } })
})
