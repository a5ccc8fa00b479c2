import { connect } from 'node:net'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type RawAnswer, send as sendRaw } from '../../fixtures/send.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'
import { methodOf, routes } from '../routes.ts'

let app: TestInstall

beforeAll(async () => {
  app = await testInstall()
})
afterAll(() => app.close())
afterEach(() => app.app.settings.change({ 'mcp.allowedOrigins': null }))

const send = (path: string, headers: Record<string, string>, method = 'GET') => sendRaw(app.url, path, { method, headers })

const corsHeaders = ({ headers }: RawAnswer) => Object.keys(headers).filter((name) => name.startsWith('access-control'))

/** Git hosts call these by the name of a proxy or tunnel, and prove themselves by a signature, which no page of a browser has. */
const deliveries = ['POST /api/hooks/{id}', 'POST /api/github/webhook']

test.each(deliveries)('%s is judged by its signature under every host name', async (name) => {
  const { path = '' } = routes.find(({ route }) => route === name) ?? {}
  expect((await send(path, { host: 'evil.example' }, 'POST')).status).toBe(404)
})

const others = routes.filter(({ route }) => !deliveries.includes(route))
test.each(others)('$route rejects requests for another host name', async (route) => {
  const { status, text } = await send(
    route.path,
    { host: 'evil.example', authorization: `Bearer ${app.keys.admin}` },
    methodOf(route),
  )
  expect(status).toBe(403)
  expect(text).toContain('This server accepts only requests to localhost or 127.0.0.1.')
})

test.each(routes)('$route rejects pages of another origin', async (route) => {
  const headers = { host: '127.0.0.1', origin: 'https://evil.example', authorization: `Bearer ${app.keys.admin}` }
  const { status, text } = await send(route.path, headers, methodOf(route))
  expect(status).toBe(403)
  expect(text).toContain('mcp.allowedOrigins')
})

test.each([
  ['127.0.0.1', 200],
  ['127.0.0.1:3000', 200],
  ['localhost', 200],
  ['LOCALHOST:80', 200],
  ['[::1]', 200],
  ['[::1]:3000', 200],
  ['evil.example', 403],
  ['evil.example:3000', 403],
  ['127.0.0.1.evil.example', 403],
  ['localhost.evil.example', 403],
  ['0.0.0.0', 403],
  ['127.1', 403],
  ['0x7f000001', 403],
  ['', 403],
  ['evil.example@127.0.0.1', 400],
  ['127.0.0.1/', 400],
])('the host "%s" gets %i', async (host, status) => {
  expect((await send('/api/health', { host })).status).toBe(status)
})

const unreadable =
  'The Host header and path of this request do not form a URL. Send a Host such as 127.0.0.1:3000 and a path that begins with "/".'

test.each(['evil.example@127.0.0.1', '127.0.0.1/', 'a b', '[::1', 'localhost:99999', 'caf\u00e9'])(
  'an invalid host "%s" is reported in JSON',
  async (host) => {
    const { status, headers, text } = await send('/api/health', { host })
    expect([status, headers['content-type']]).toEqual([400, 'application/json'])
    expect(JSON.parse(text)).toEqual({ error: 'validation_error', message: unreadable, fields: [] })
  },
)

test.each(['/mcp', '/mcp?client=x'])('an invalid host of a POST %s is reported as JSON-RPC', async (path) => {
  const { status, text } = await send(path, { host: '127.0.0.1/' }, 'POST')
  expect(status).toBe(400)
  expect(JSON.parse(text)).toEqual({ jsonrpc: '2.0', error: { code: -32000, message: unreadable }, id: null })
})

test('an invalid address is reported in JSON', async () => {
  expect(JSON.parse((await send('/\\evil.example', { host: '127.0.0.1' })).text)).toEqual({
    error: 'validation_error',
    fields: expect.any(Array),
    message: unreadable,
  })
})

test('an HTTP/1.0 request without a host is rejected', async () => {
  const { hostname, port } = new URL(app.url)
  const socket = connect(Number(port), hostname)
  socket.write('GET /api/health HTTP/1.0\r\n\r\n')
  expect(Buffer.concat(await socket.toArray()).toString()).toMatch(/^HTTP\/1\.1 403 /)
})

test.each([
  ['http://localhost:6274', 200],
  ['http://127.0.0.1', 200],
  ['https://[::1]:8443', 200],
  ['https://app.example', 200],
  ['https://other.example', 403],
  ['http://localhost.evil.example', 403],
  ['http://evil.example:80@localhost', 403],
  ['ftp://localhost', 403],
  ['null', 403],
  ['localhost', 403],
])('the origin "%s" gets %i if https://app.example is allowed', async (origin, status) => {
  app.app.settings.change({ 'mcp.allowedOrigins': 'https://app.example' })
  expect((await send('/api/health', { host: 'localhost', origin })).status).toBe(status)
})

const preflight = {
  host: 'localhost',
  'access-control-request-method': 'POST',
  'access-control-request-headers': 'content-type,x-api-key',
}

test.each(['GET', 'POST', 'OPTIONS'])('%s /mcp gets no CORS header if no origin is allowed', async (method) => {
  const answer = await send('/mcp', { ...preflight, origin: 'http://localhost:6274' }, method)
  expect(corsHeaders(answer)).toEqual([])
})

test('a page of an allowed origin can call /mcp and read its errors', async () => {
  app.app.settings.change({ 'mcp.allowedOrigins': 'https://app.example', 'permissions.requireMcpAuth': true })
  const asked = await send('/mcp', { ...preflight, origin: 'https://app.example' }, 'OPTIONS')
  const refused = await send('/mcp', { host: 'localhost', origin: 'https://app.example' }, 'POST')
  app.app.settings.change({ 'permissions.requireMcpAuth': null })
  expect(asked.status).toBe(204)
  expect(asked.headers).toMatchObject({
    'access-control-allow-origin': 'https://app.example',
    'access-control-allow-methods': 'POST',
    'access-control-allow-headers': 'content-type,x-api-key',
    vary: expect.stringContaining('Origin'),
  })
  expect(refused.status).toBe(401)
  expect(refused.headers['access-control-allow-origin']).toBe('https://app.example')
})

test('an allowed origin can only call /mcp', async () => {
  app.app.settings.change({ 'mcp.allowedOrigins': 'https://app.example' })
  expect(corsHeaders(await send('/api/projects', { host: 'localhost', origin: 'https://app.example' }))).toEqual([])
})
