import { connect, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import type { App } from '../../onprem/app/open-app.ts'
import { createServer } from '../../onprem/server.ts'
import type { TestInstall } from '../fixtures/test-install.ts'
import { widgetsInstall } from '../fixtures/widgets-install.ts'

let app: TestInstall

beforeAll(async () => {
  app = await widgetsInstall()
})
afterAll(() => app.close())
beforeEach(() => {
  app.log.lines.length = 0
})

const question = '/api/v2/context?libraryId=/acme/widgets&query=paint'
const isUp = async () => (await app.ask(question)).status === 200

test.each([
  ['GET', '/api/nothing'],
  ['GET', '/api'],
  ['GET', '/.well-known/oauth-protected-resource'],
  ['GET', '/.well-known/oauth-protected-resource/mcp'],
  ['GET', '/.well-known/oauth-authorization-server'],
  ['POST', '/register'],
  ['POST', '/api/v2/context'],
  ['PUT', '/api/v2/libs/search'],
  ['POST', '/api/projects/acme/widgets'],
  ['PATCH', '/api/projects/acme/widgets'],
  ['GET', '/api/parse'],
  ['OPTIONS', '/api/health'],
])('the route %s %s does not exist and gets a JSON error', async (method, path) => {
  expect(await app.json(path, { method })).toEqual({
    status: 404,
    body: { error: 'not_found', message: `There is no ${method} ${path}.` },
  })
})

test.each(['/api/health', '/api/projects', question])(
  'a HEAD request for %s gets the response of GET without its body',
  async (path) => {
    const response = await app.ask(path, { method: 'HEAD' })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe((await app.ask(path)).headers.get('content-type'))
    expect(await response.text()).toBe('')
  },
)

test('a request logs one line, with its path but without the question, key and token', async () => {
  const response = await app.ask(`${question}+swordfish`, { key: app.keys.admin })
  expect(app.log.lines).toEqual([
    {
      level: 'info',
      message: 'request',
      fields: {
        request: response.headers.get('x-request-id'),
        method: 'GET',
        path: '/api/v2/context',
        status: 200,
        ms: expect.any(Number),
      },
    },
  ])
  await app.json('/mcp', { method: 'POST', body: '{' })
  await app.json('/api/v2/libs/search?libraryName=swordfish')
  await app.json('/api/parse', { method: 'POST', key: app.keys.member, body: { repoUrl: 'https://swordfish.example/a/b' } })
  expect(app.log.lines.map(({ level, fields }) => [level, fields.path, fields.status])).toEqual([
    ['info', '/api/v2/context', 200],
    ['info', '/mcp', expect.any(Number)],
    ['info', '/api/v2/libs/search', 404],
    ['info', '/api/parse', 400],
  ])
  expect(JSON.stringify(app.log.lines)).not.toMatch(/swordfish|carrel_op_/)
})

/** An install whose catalog fails with what no caller may see. */
const broken = () => {
  const fail = () => Promise.reject(new Error('SELECT secret FROM /etc/shadow'))
  const catalog: App['catalog'] = { ...app.app.catalog, served: fail, listed: fail }
  return createServer({ ...app.app, catalog }, async () => true)
}
const headers = { host: '127.0.0.1', 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

test('an unexpected error is returned without details, and logged once with them', async () => {
  const response = await broken().request(`http://127.0.0.1${question}`, { headers })
  expect(response.status).toBe(500)
  expect(await response.json()).toEqual({
    error: 'internal_error',
    message: 'Something went wrong on our side. The log of the server has the details.',
  })
  expect(app.log.lines.map(({ level, message }) => `${level}: ${message}`)).toEqual(['error: request failed', 'info: request'])
  expect(app.log.lines[0]?.fields).toMatchObject({
    method: 'GET',
    path: '/api/v2/context',
    error: { message: 'SELECT secret FROM /etc/shadow' },
  })
})

test('an unexpected error at /mcp is returned as a general sentence, and logged once', async () => {
  const call = { name: 'query-docs', arguments: { libraryId: '/acme/widgets', query: 'paint' } }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call })
  const text = await (await broken().request('http://127.0.0.1/mcp', { method: 'POST', headers, body })).text()
  expect(text).toContain('could not answer because of an error on its side')
  expect(text).not.toContain('secret')
  expect(app.log.lines.map(({ level, message }) => `${level}: ${message}`).sort()).toEqual([
    'error: mcp request failed',
    'info: request',
  ])
  expect(new Set(app.log.lines.map(({ fields }) => fields.request)).size).toBe(1)
  expect(app.log.lines[0]?.fields.request).toBeTypeOf('string')
})

test.each(['/api/keys', '/api/import-libraries'])(
  'a compressed body to %s is rejected with what to send instead',
  async (path) => {
    const headers = { authorization: `Bearer ${app.keys.admin}`, 'content-encoding': 'gzip', 'content-type': 'application/json' }
    const answer = await app.ask(path, { method: 'POST', headers, body: gzipSync('{"libraries":[]}') })
    const message = 'The body is compressed. Send it uncompressed, without the header Content-Encoding.'
    expect([answer.status, await answer.json()]).toMatchObject([400, { error: 'validation_error', message }])
  },
)

test('fifty concurrent clients all get responses', async () => {
  const client = async () => {
    const statuses = []
    for (let i = 0; i < 8; i++)
      statuses.push((await app.ask(i % 2 ? question : '/api/v2/libs/search?libraryName=widgets')).status)
    return statuses
  }
  const statuses = await Promise.all(Array.from({ length: 50 }, client))
  expect(statuses.flat().filter((status) => status !== 200)).toEqual([])
  expect(app.log.lines.filter(({ level }) => level !== 'info')).toEqual([])
})

/** Sends bytes as they are; resolves with what came back when the server hung up, or after a moment. */
function raw(bytes: string | Uint8Array, { waitMs = 300 } = {}): Promise<string> {
  const { hostname, port } = new URL(app.url)
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname)
    let answer = ''
    const timer = setTimeout(() => socket.destroy(), waitMs)
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1')
    })
    socket.on('error', () => undefined)
    socket.on('close', () => {
      clearTimeout(timer)
      resolve(answer)
    })
    socket.write(bytes)
  })
}

const get = `GET /api/auth/mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`
const parseHead = 'POST /api/parse HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n'

test.each([
  ['bytes that are no HTTP', Uint8Array.from({ length: 5000 }, (_, i) => (i * 7919) % 256)],
  ['a TLS greeting', Uint8Array.from([22, 3, 1, 2, 0, 1, 0, 1, 252, 3, 3])],
  ['garbage behind a good request', `${get}\u0000\u0001garbage\r\n\r\n`],
  ['a header of 100 KB', `GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`],
  ['a request smuggled behind two lengths', `${parseHead}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${get}`],
  ['a negative length', `${parseHead}Content-Length: -1\r\n\r\n`],
  ['a chunk without an end', `${parseHead}Transfer-Encoding: chunked\r\n\r\nffffffff\r\nxx`],
  ['a broken percent code', 'GET /api/projects/%zz/%e0%a4%a HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'],
  ['an address with a line break in it', 'GET /api/projects/a%0d%0aSet-Cookie:x/b HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'],
  ['an unknown method', 'BREW /api/health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'],
  ['a tunnel', 'CONNECT evil.example:443 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'],
  ['an upgrade to a web socket', 'GET /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'],
])('the server stays up, and its log without errors, after %s', async (_name, bytes) => {
  const answer = await raw(bytes)
  expect(answer).not.toMatch(/^HTTP\/1\.1 5\d\d/m)
  expect(answer).not.toMatch(/^set-cookie/im)
  expect(await isUp()).toBe(true)
  expect(app.log.lines.filter(({ level }) => level === 'error')).toEqual([])
})

test('pipelined requests all get responses, in order', async () => {
  const last = get.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n')
  const answer = await raw(get.repeat(19) + last, { waitMs: 60_000 })
  expect(answer.match(/\{"enabled":false\}/g)).toHaveLength(20)
})

test('clients that hang up in the middle of a body or a response affect no other client', async () => {
  const halfBody = `${parseHead}Authorization: Bearer ${app.keys.member}\r\nContent-Length: 1000\r\n\r\n{"repoUrl":`
  const half = 'GET /api/v2/context?libraryId=/acme/wid'
  const call = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
  const mcp = `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: ${call.length}\r\n\r\n${call}`
  const quick = Array.from({ length: 10 }, () => [halfBody, half, mcp].map((bytes) => raw(bytes, { waitMs: 5 })))
  const aborted = Array.from({ length: 20 }, () => app.ask(question, { signal: AbortSignal.timeout(1) }).catch(() => undefined))
  await Promise.all([...quick.flat(), ...aborted])
  expect(await isUp()).toBe(true)
  expect(app.log.lines.filter(({ level }) => level === 'error')).toEqual([])
})

test('slow clients do not delay others', async () => {
  const { hostname, port } = new URL(app.url)
  const slow = Array.from({ length: 100 }, () => connect(Number(port), hostname))
  onTestFinished(() => slow.forEach((socket) => void socket.destroy()))
  const written = (socket: Socket) =>
    new Promise((resolve) => socket.write(`${parseHead}Content-Length: 100000\r\n\r\n{`, resolve))
  await Promise.all(slow.map(written))
  expect(await isUp()).toBe(true)
  expect(slow.filter(({ closed }) => closed)).toEqual([])
})
