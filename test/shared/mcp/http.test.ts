import { expect, test } from 'vitest'
import { AppError } from '../../../shared/errors.ts'
import { type McpPorts, mcpHandler } from '../../../shared/mcp/mcp-handler.ts'
import { fakePorts } from './fake-ports.ts'

const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
const queryDocs = { name: 'query-docs', arguments: { libraryId: '/a/b', query: 'x' } }
const resolveId = { name: 'resolve-library-id', arguments: { libraryName: 'hono', query: 'x' } }
const call = (id: number, params: object = queryDocs) => ({ jsonrpc: '2.0', id, method: 'tools/call', params })
const answered = (id: number) => ({
  jsonrpc: '2.0',
  id,
  result: { content: [{ type: 'text', text: 'About x in /a/b' }] },
})

const request = (body: unknown, more: RequestInit = {}) =>
  new Request('http://127.0.0.1/mcp', {
    method: 'POST',
    headers,
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...more,
  })

const post = (body: unknown, more?: RequestInit, ports = fakePorts()) => mcpHandler(ports).fetch(request(body, more))

async function messagesOf(response: Response): Promise<unknown[]> {
  const lines = (await response.text()).split('\n').filter((line) => line.startsWith('data: '))
  return lines.map((line) => JSON.parse(line.slice('data: '.length)))
}

const failure = (code: number, message: string) => ({ jsonrpc: '2.0', error: { code, message }, id: null })

test('a tool call succeeds without initialize and without a session, and gets no session id', async () => {
  const response = await post(call(1))
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  expect(response.headers.get('mcp-session-id')).toBeNull()
  expect(await messagesOf(response)).toEqual([answered(1)])
})

test('the traceparent in the metadata of a call is passed on, that of the first call of a batch', async () => {
  const seen: unknown[] = []
  const ports = fakePorts({ onTraceparent: (value) => void seen.push(value) })
  const traced = (id: number, traceparent: unknown) => call(id, { ...queryDocs, _meta: { traceparent } })
  await post(traced(1, '00-a-b-01'), {}, ports)
  await post([call(1), traced(2, 7), traced(3, 'x')], {}, ports)
  await post(call(1), {}, ports)
  expect(seen).toEqual(['00-a-b-01', 7])
})

test('a session id that the client made up is ignored', async () => {
  const response = await post(call(1), { headers: { ...headers, 'mcp-session-id': 'made-up' } })
  expect(await messagesOf(response)).toEqual([answered(1)])
})

const modern = (method: string, params: object, name?: string, handlerOf = mcpHandler, ports: Partial<McpPorts> = {}) => {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'cursor', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const named = name === undefined ? {} : { 'mcp-name': name }
  const sent = request(
    { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } },
    { headers: { ...headers, 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, ...named } },
  )
  return handlerOf(fakePorts(ports)).fetch(sent)
}

test('a 2026-07-28 request gets plain JSON', async () => {
  const response = await modern('tools/call', queryDocs, 'query-docs')
  expect(response.headers.get('content-type')).toBe('application/json')
  expect(await response.json()).toEqual({
    ...answered(1),
    result: {
      ...answered(1).result,
      resultType: 'complete',
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'Carrel', version: '1.2.3' } },
    },
  })
})

test('a subscription is rejected', async () => {
  const response = await modern('subscriptions/listen', { notifications: { toolsListChanged: true } })
  expect(await response.json()).toEqual({
    jsonrpc: '2.0',
    id: 1,
    error: { code: -32603, message: 'Subscription limit reached' },
  })
})

test('every message of a batch gets its response', async () => {
  const messages = await messagesOf(await post([call(1), call(2)]))
  expect(messages).toEqual([answered(1), answered(2)])
})

test('the calls of a batch are made one after the other, even if one fails', async () => {
  let [atOnce, most, made] = [0, 0, 0]
  const contextText = async () => {
    most = Math.max(most, ++atOnce)
    await new Promise((resolve) => setImmediate(resolve))
    atOnce -= 1
    if (++made === 2) throw new AppError('search_failed', 'Not now.')
    return 'words'
  }
  const batch = Array.from({ length: 100 }, (_, id) => call(id + 1))
  const answers = await messagesOf(await post(batch, {}, fakePorts({ contextText })))
  expect([answers.length, made, most]).toEqual([100, 100, 1])
  expect(JSON.stringify(answers)).toContain('Not now.')
})

test('a batch of more than a hundred messages is rejected', async () => {
  const response = await post(Array.from({ length: 101 }, (_, id) => call(id)))
  expect(response.status).toBe(400)
  expect(await response.json()).toEqual(failure(-32600, 'Invalid Request: Batch must not exceed 100 messages'))
})

const cancel = (requestId: unknown) => ({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } })

test.each([
  ['after its call', [call(1), cancel(1)]],
  ['before its call', [cancel(1), call(1)]],
  ['of an id written as text', [call(1), cancel('1')]],
  ['of one call of several', [call(1), call(2), cancel(2)]],
])('a batch with a cancellation %s is rejected, because its request would get no response', async (_where, batch) => {
  const response = await post(batch)
  expect(response.status).toBe(400)
  expect(await response.json()).toEqual(
    failure(-32600, 'Invalid Request: a batch must not contain both requests and cancellations.'),
  )
})

test('a batch that uses an id twice is rejected, because only one of the two would get a response', async () => {
  const response = await post([call(1), call(2), call(1)])
  expect(response.status).toBe(400)
  expect(await response.json()).toEqual(failure(-32600, 'Invalid Request: each request of a batch must have a unique id.'))
})

test.each([
  ['alone', cancel(1)],
  ['in a batch of notifications', [cancel(1), { jsonrpc: '2.0', method: 'notifications/initialized' }]],
])('a cancellation %s is accepted and cancels no other request', async (_where, body) => {
  const text = Promise.withResolvers<string>()
  const ports = fakePorts({ contextText: () => text.promise })
  const asked = post(call(1), {}, ports)
  expect((await post(body, {}, ports)).status).toBe(202)
  text.resolve('About x in /a/b')
  expect(await messagesOf(await asked)).toEqual([answered(1)])
})

const late = (id: number) => ({
  jsonrpc: '2.0',
  error: { code: -32000, message: 'The answer took longer than 0.05 seconds. Ask a shorter question, or ask again later.' },
  id,
})

test('a request that takes too long gets an error for each unfinished call, and its work is aborted', async () => {
  const signals: AbortSignal[] = []
  const contextText = async (_input: object, _request: Request, signal: AbortSignal) => {
    signals.push(signal)
    return signals.length === 1 ? 'About x in /a/b' : new Promise<string>(() => undefined)
  }
  const handler = mcpHandler(fakePorts({ contextText }), 50)
  expect(await messagesOf(await handler.fetch(request([call(1), call(2), call(3)])))).toEqual([answered(1), late(2), late(3)])
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, true])
})

test('a batch that takes too long gets no error for its finished lists and pings', async () => {
  const contextText = () => new Promise<string>(() => undefined)
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
  const batch = [list, call(2), { jsonrpc: '2.0', id: 3, method: 'ping' }, { jsonrpc: '2.0', id: 4, method: 'no/method' }]
  const messages = await messagesOf(await mcpHandler(fakePorts({ contextText }), 50).fetch(request(batch)))
  const ids = messages.map((message) => (message as { id: number }).id)
  expect(ids.toSorted()).toEqual([1, 2, 3, 4])
  expect(messages.at(-1)).toEqual(late(2))
})

test('a 2026-07-28 request that takes too long gets an error', async () => {
  const response = await modern('tools/call', queryDocs, 'query-docs', (ports) => mcpHandler(ports, 50), {
    contextText: () => new Promise<string>(() => undefined),
  })
  expect(response.status).toBe(504)
  expect(await response.json()).toEqual(late(1))
})

test('a notification is accepted and gets no response', async () => {
  const response = await post({ jsonrpc: '2.0', method: 'notifications/initialized' })
  expect(response.status).toBe(202)
  expect(await response.text()).toBe('')
})

test.each(['GET', 'DELETE', 'PUT', 'OPTIONS'])('the method %s is not allowed, because there are no sessions', async (method) => {
  const response = await mcpHandler(fakePorts()).fetch(new Request('http://127.0.0.1/mcp', { method }))
  expect(response.status).toBe(405)
  expect(response.headers.get('allow')).toBe('POST')
  expect(await response.json()).toEqual(failure(-32000, 'Method not allowed.'))
})

test.each([
  ['JSON that is cut off', '{"jsonrpc":', 400, -32700],
  ['an empty body', '', 400, -32700],
  ['an empty batch', '[]', 400, -32600],
  ['JSON that is no message', 'null', 400, -32600],
  ['60,000 nested arrays', '['.repeat(60_000) + ']'.repeat(60_000), 400, -32600],
  ['more than 128 KiB', `"${'x'.repeat(128 * 1024)}"`, 413, -32000],
])('a body of %s is rejected with a JSON-RPC error', async (_name, body, status, code) => {
  const response = await post(body)
  expect(response.status).toBe(status)
  expect(await response.json()).toMatchObject({ jsonrpc: '2.0', error: { code }, id: null })
})

test('unknown arguments nested 20,000 levels deep are ignored', async () => {
  const deep = `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`
  const response = await post(JSON.stringify(call(1)).replace('"query"', `"other":${deep},"query"`))
  expect(await messagesOf(response)).toEqual([answered(1)])
})

test('a request whose body is not JSON is rejected', async () => {
  expect((await post(call(1), { headers: { ...headers, 'content-type': 'text/plain' } })).status).toBe(415)
})

test('a batch that takes too long gets JSON with the finished results, and an error for each unfinished call', async () => {
  const contextText = async ({ query }: { query: string }) =>
    query === 'x' ? 'About x in /a/b' : new Promise<string>(() => undefined)
  const slow = call(2, { ...queryDocs, arguments: { libraryId: '/a/b', query: 'y' } })
  const handler = mcpHandler(fakePorts({ contextText }), 50)
  const response = await handler.fetch(request([call(1), slow], { headers: { ...headers, accept: 'application/json' } }))
  expect([response.status, await response.json()]).toEqual([200, [answered(1), late(2)]])
})

test('a page of another origin gets no permission to read a response', async () => {
  const response = await post(call(1), { headers: { ...headers, origin: 'https://evil.example' } })
  expect([...response.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([])
})

test('the ports get the request of each call', async () => {
  const asked = request([call(1), call(2, resolveId)])
  const seen: Request[] = []
  const ports = fakePorts({
    contextText: async (_input, request) => {
      seen.push(request)
      return 'documentation'
    },
    searchLibraries: async (_input, request) => {
      seen.push(request)
      return { results: [], searchFilterApplied: false }
    },
  })
  await (await mcpHandler(ports).fetch(asked)).text()
  expect(seen.map((request) => request === asked)).toEqual([true, true])
})

test.each([
  [
    { name: 'cursor', version: '1' },
    { name: 'cursor', version: '1' },
  ],
  [{ name: 'cursor' }, { name: 'cursor' }],
  [{ name: { first: 'cursor' } }, {}],
  ['cursor', {}],
])('a 2025 client with the client info %j is identified as %j', async (clientInfo, known) => {
  const clients: unknown[] = []
  const contextText = async (_input: object, _request: Request, _signal: AbortSignal, client: object) => {
    clients.push(client)
    return 'documentation'
  }
  const _meta = { 'io.modelcontextprotocol/clientInfo': clientInfo }
  await (await post(call(1, { ...queryDocs, _meta }), {}, fakePorts({ contextText }))).text()
  expect(clients).toEqual([known])
})

test('a client that hangs up before the response causes no error, and its work is aborted', async () => {
  const hangUp = new AbortController()
  let finish = (_text: string) => {}
  const text = new Promise<string>((resolve) => {
    finish = resolve
  })
  const signals: AbortSignal[] = []
  const contextText = (_input: object, _request: Request, signal: AbortSignal) => {
    signals.push(signal)
    return text
  }
  const response = await post(call(1), { signal: hangUp.signal }, fakePorts({ contextText }))
  hangUp.abort()
  expect(signals.map(({ aborted }) => aborted)).toEqual([true])
  finish('too late')
  expect(await messagesOf(response)).toEqual([])
})

test('an error outside of a tool is an internal error for the client and is reported', async () => {
  const bug = new Error('no version')
  const reported: unknown[] = []
  const ports = {
    ...fakePorts({ onError: (error) => reported.push(error) }),
    get version(): string {
      throw bug
    },
  }
  const response = await post(call(1), {}, ports)
  expect(response.status).toBe(500)
  expect(await response.json()).toEqual({ ...failure(-32603, 'Internal server error'), id: 1 })
  expect(reported).toEqual([bug])
})
