import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { rawRequest } from '../fixtures/raw-request.ts'
import { testHosted } from '../fixtures/test-hosted.ts'
import { testInstall } from '../fixtures/test-install.ts'

const starts = { 'on-premise': testInstall, hosted: testHosted }

describe.each(Object.entries(starts))('the %s server', (_half, start) => {
  let server: { url: string; close(): Promise<void> }

  beforeAll(async () => {
    server = await start()
  })
  afterAll(() => server.close())

  type Sent = { headers?: Record<string, string>; path?: string }

  async function post(body: string | Uint8Array<ArrayBuffer>, { headers = {}, path = '/mcp' }: Sent = {}) {
    const sent = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers }
    const answer = await fetch(server.url + path, { method: 'POST', body, headers: sent })
    const type = answer.headers.get('content-type')?.split(';')[0] ?? ''
    const text = await answer.text()
    const lines = text.split('\n').filter((line) => line.startsWith('data: '))
    const messages: unknown[] = type === 'text/event-stream' ? lines.map((line) => JSON.parse(line.slice(6))) : []
    return { status: answer.status, type, messages: type === 'application/json' ? JSON.parse(text) : messages }
  }
  const ask = (message: object, sent?: Sent) => post(JSON.stringify(message), sent)

  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }
  const pong = { jsonrpc: '2.0', id: 1, result: {} }
  const asEvents = { status: 200, type: 'text/event-stream', messages: [pong] }

  test.each([
    ['*/*', 'text/event-stream'],
    ['', 'text/event-stream'],
    ['text/html, */*;q=0.1', 'text/event-stream'],
    ['text/event-stream', 'text/event-stream'],
    ['text/*', 'text/event-stream'],
    ['APPLICATION/JSON, TEXT/EVENT-STREAM', 'text/event-stream'],
    ['application/json;q=0, */*', 'text/event-stream'],
    ['application/json', 'application/json'],
    ['Application/JSON; charset=utf-8', 'application/json'],
    ['application/*', 'application/json'],
    ['application/json, text/event-stream;q=0', 'application/json'],
    [`${'text/html, '.repeat(700)}*/*`, 'text/event-stream'],
  ])('responds to a client that accepts %o with %s', async (accept, type) => {
    expect(await ask(ping, { headers: { accept } })).toEqual({
      ...asEvents,
      type,
      messages: type === asEvents.type ? [pong] : pong,
    })
  })

  test('responds to a batch with one list for a client that accepts only JSON', async () => {
    const answer = await ask([ping, { ...ping, id: 2 }], { headers: { accept: 'application/json' } })
    expect(answer).toEqual({ status: 200, type: 'application/json', messages: [pong, { ...pong, id: 2 }] })
  })

  test('responds with an event to a client of 2026-07-28 that accepts only events', async () => {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list', accept: 'text/event-stream' }
    const { type, messages } = await ask({ ...ping, method: 'tools/list', params: { _meta } }, { headers })
    expect([type, messages]).toEqual(['text/event-stream', [expect.objectContaining({ id: 1, result: expect.anything() })]])
  })

  test.each([
    ['another type', 'text/html'],
    ['8 kB of another type', 'text/html, '.repeat(700)],
    ['8 kB of quotes that do not end', 'a;b="'.repeat(1600)],
  ])('returns the available types to a client that accepts only %s', async (_what, accept) => {
    expect(await ask(ping, { headers: { accept } })).toMatchObject({
      status: 406,
      messages: { error: { message: 'Not Acceptable: send "Accept: application/json, text/event-stream", or one of the two.' } },
    })
  })

  test.each(['/mcp/', '//mcp', '///mcp//'])('serves MCP at %s, without a redirect', async (path) => {
    expect(await ask(ping, { path })).toEqual(asEvents)
  })

  test.each(['/api/health/', '//api/health', '/api//health//'])(
    'treats %s as the path without the further slashes',
    async (path) => {
      expect((await fetch(server.url + path, { redirect: 'manual' })).status).toBe(200)
    },
  )

  test('responds to an unreadable request to /mcp/ with a JSON-RPC error', async () => {
    const answer = await rawRequest(`${server.url}/mcp/`, { method: 'POST', headers: { host: 'not a host' } })
    expect([answer.status, await answer.json()]).toMatchObject([400, { jsonrpc: '2.0', error: { code: -32000 } }])
  })

  test.each(['ping', 'tools/list'])('treats parameters of %s that are null or an empty list as none', async (method) => {
    for (const params of [null, [], { _meta: null }, { _meta: [] }, { _meta: { progressToken: null } }])
      expect(await ask({ ...ping, method, params })).toMatchObject({ status: 200, messages: [{ id: 1, result: {} }] })
    const initialized = { jsonrpc: '2.0', method: 'notifications/initialized', params: null }
    expect((await ask(initialized)).status).toBe(202)
  })

  const initialize = {
    ...ping,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
  }

  test('treats optional members of an initialization that are null or an empty list as none', async () => {
    for (const capabilities of [[], { roots: null, sampling: [], elicitation: { form: null } }]) {
      const clientInfo = { ...initialize.params.clientInfo, title: null }
      const { messages } = await ask({ ...initialize, params: { ...initialize.params, capabilities, clientInfo } })
      expect(messages).toMatchObject([{ result: { protocolVersion: '2025-06-18' } }])
    }
  })

  test('treats arguments of a tool that are null or an empty list as none', async () => {
    for (const args of [null, []]) {
      const params = { name: 'query-docs', arguments: args }
      const { messages } = await ask({ ...ping, method: 'tools/call', params })
      expect(JSON.stringify(messages)).toContain('the question is missing: ask one short question')
    }
  })

  test.each([
    ['initialize', { ...initialize.params, clientInfo: undefined }, 'params.clientInfo is required'],
    ['initialize', { ...initialize.params, clientInfo: null }, 'params.clientInfo is required'],
    [
      'initialize',
      { ...initialize.params, capabilities: { sampling: true } },
      'params.capabilities.sampling must be a JSON object',
    ],
    ['initialize', { capabilities: {} }, 'params.protocolVersion is required, params.clientInfo is required'],
    ['tools/list', { cursor: null }, 'params.cursor must be a text'],
    ['tools/list', { cursor: 5 }, 'params.cursor must be a text'],
    ['tools/call', { name: 'query-docs', arguments: '{}' }, 'params.arguments must be a JSON object'],
    ['tools/call', {}, 'params.name is required'],
    ['prompts/get', {}, 'params.name is required'],
  ])('rejects %s with %j as invalid parameters, in one sentence', async (method, params, rule) => {
    const error = { code: -32602, message: `Invalid params: ${rule}.` }
    expect((await ask({ ...ping, method, params })).messages).toEqual([{ jsonrpc: '2.0', id: 1, error }])
    const asJson = await ask({ ...ping, method, params }, { headers: { accept: 'application/json' } })
    expect(asJson.messages).toEqual({ jsonrpc: '2.0', id: 1, error })
  })

  test('serves the other requests of a batch in which one has invalid parameters', async () => {
    const { messages } = await ask([ping, { ...ping, id: 2, method: 'tools/list', params: { cursor: 5 } }, { ...ping, id: 3 }])
    const byId = (messages as { id: number }[]).toSorted((a, b) => a.id - b.id)
    expect(byId).toMatchObject([{ result: {} }, { error: { code: -32602 } }, { result: {} }])
  })

  test('reads a body with a byte order mark', async () => {
    expect(await post(`\uFEFF${JSON.stringify(ping)}`)).toEqual(asEvents)
  })

  test('rejects a compressed body with 415 and the way to send it', async () => {
    const headers = { 'content-encoding': 'gzip' }
    expect(await post(gzipSync(JSON.stringify(ping)), { headers })).toMatchObject({
      status: 415,
      messages: { error: { message: expect.stringContaining('Send it uncompressed, without the header Content-Encoding.') } },
    })
    expect(await ask(ping, { headers: { 'content-encoding': 'identity' } })).toEqual(asEvents)
  })
})
