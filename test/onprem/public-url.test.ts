import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { runCarrelProcess } from '../fixtures/run-carrel.ts'
import { send } from '../fixtures/send.ts'
import { runServer } from '../fixtures/server-process.ts'
import { cookiesOf } from '../fixtures/sign-in.ts'
import { tempDir } from '../fixtures/temp-dir.ts'
import { type TestInstall, testInstall } from '../fixtures/test-install.ts'

const PUBLIC_URL = 'https://carrel.example.com/docs'
const host = 'carrel.example.com'

let app: TestInstall

beforeAll(async () => {
  app = await testInstall({ env: { PUBLIC_URL: `${PUBLIC_URL}/` } })
})
afterAll(() => app.close())

const get = (path: string, headers: Record<string, string> = { host }) => send(app.url, path, { headers })
const post = (path: string, body: unknown, headers: Record<string, string>) =>
  send(app.url, path, {
    method: 'POST',
    headers: { host, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
const signIn = (pair: { username: string; password: string }, headers: Record<string, string> = {}) =>
  post('/docs/api/auth/session/sign-in/username', pair, headers)

test.each([
  ['/docs/api/health', 200],
  ['/api/health', 200],
  ['/docs/mcp', 405],
  ['/mcp', 405],
  ['/docs/mcp/', 405],
  ['//docs/mcp', 405],
  ['/docs//mcp', 405],
  ['//mcp/', 405],
  ['/docs/metrics', 401],
  ['/metrics', 401],
  ['/docsapi/health', 404],
  ['/Docs/api/health', 404],
  ['/docs/docs/api/health', 404],
  ['/docs/.well-known/oauth-protected-resource', 404],
  ['/.well-known/oauth-protected-resource/docs/mcp', 404],
])('the path %s gets %i, with or without the prefix', async (path, status) => {
  const answer = await get(path)
  expect([answer.status, answer.headers['content-type']]).toEqual([status, expect.stringContaining('application/json')])
})

test.each(['/docs', '/docs/'])('the path %s returns the page', async (path) => {
  expect((await get(path)).headers['content-type']).toContain('text/html')
})

test.each([
  ['carrel.example.com', 200],
  ['CARREL.example.com:443', 200],
  ['carrel.example.com:8443', 200],
  ['127.0.0.1:3000', 200],
  ['localhost', 200],
  ['10.0.0.5:3000', 200],
  ['[fd00::5]:3000', 200],
  ['evil.example', 403],
  ['carrel.example.com.evil.example', 403],
  ['evil.carrel.example.com', 403],
  ['carrel.example.com.', 403],
  ['', 403],
])('the host "%s" gets %i', async (name, status) => {
  expect((await get('/docs/api/health', { host: name })).status).toBe(status)
})

test('a foreign host is rejected whatever X-Forwarded-Host contains, and the message names the right ones', async () => {
  const { status, text } = await get('/docs/api/health', { host: 'evil.example', 'x-forwarded-host': host })
  expect([status, JSON.parse(text).message]).toEqual([
    403,
    'This server accepts only requests to carrel.example.com, localhost or an IP address. If users see another address, set PUBLIC_URL to it.',
  ])
})

test.each([
  ['https://carrel.example.com', 200],
  ['http://localhost:6274', 200],
  ['http://carrel.example.com', 403],
  ['https://carrel.example.com:8443', 403],
  ['https://evil.example', 403],
  ['null', 403],
])('a page of the origin "%s" gets %i', async (origin, status) => {
  expect((await get('/docs/api/health', { host, origin })).status).toBe(status)
})

test('health, the log and the API description show the public address', async () => {
  expect(JSON.parse((await get('/docs/api/health')).text)).toMatchObject({ publicUrl: PUBLIC_URL })
  expect(JSON.parse((await get('/docs/api/openapi.json')).text)).toMatchObject({ servers: [{ url: `${PUBLIC_URL}/api` }] })
  expect(app.log.text()).toContain(PUBLIC_URL)
})

test('a request through the prefix is logged without it', async () => {
  await get('/docs/api/only-here')
  expect(app.log.text()).toContain("path: '/api/only-here'")
})

describe('users', () => {
  const password = () => readFileSync(join(app.dataDir, 'initial-password'), 'utf8').trim()

  test('get a random initial password, because a proxy lets others reach a server on loopback', async () => {
    expect((await signIn({ username: 'admin', password: 'admin' })).status).toBe(401)
    expect(JSON.parse((await get('/docs/api/health')).text).warnings).toEqual([
      'The first user still has the initial password: sign in and change it.',
    ])
    expect(app.app.license.id).toBe('development')
  })

  test('get Secure cookies for the path, also if the proxy sends no X-Forwarded-Proto', async () => {
    const answer = await signIn({ username: 'admin', password: password() }, { origin: 'https://carrel.example.com' })
    const cookie = answer.headers['set-cookie']?.[0]
    expect(cookie).toMatch(/^__Secure-carrel\.session_token=[^;]+; Max-Age=604800; Path=\/docs; HttpOnly; Secure; SameSite=Lax$/)
    const session = await get('/docs/api/auth/session/get-session', { host, cookie: cookiesOf([cookie ?? '']) })
    expect(JSON.parse(session.text)).toMatchObject({ user: { username: 'admin' } })
  })

  test.each([
    [{ origin: 'https://carrel.example.com' }, 200],
    [{ origin: 'https://carrel.example.com', host: '127.0.0.1:3000' }, 200],
    [{ origin: 'https://carrel.example.com', 'x-forwarded-host': 'evil.example' }, 200],
    [{ origin: 'http://localhost:1' }, 403],
    [{ origin: 'http://localhost:1', 'x-forwarded-host': 'localhost:1', 'x-forwarded-proto': 'http' }, 403],
    [{}, 403],
  ])('get $1 for a change with a session and $0', async (headers, status) => {
    const { app: ports } = app
    const name = `user${Math.random()}`
    ports.users.create({ username: name, role: 'member', hash: await ports.passwords.hash('a long password') })
    const cookie = cookiesOf((await signIn({ username: name, password: 'a long password' })).headers['set-cookie'] ?? [])
    const changed = await post(
      '/docs/api/account/credentials',
      { currentPassword: 'a long password', username: name, password: 'another password' },
      { cookie, ...headers } as Record<string, string>,
    )
    expect(changed.status).toBe(status)
  })
})

test('an address without TLS is reported in the log and in health', async () => {
  const plain = await testInstall({ env: { PUBLIC_URL: 'http://carrel.example.com' } })
  onTestFinished(() => plain.close())
  const warning =
    'PUBLIC_URL begins with http://, so passwords, keys and sessions cross the network unencrypted: let a reverse proxy serve it over TLS.'
  expect((await plain.call('GET', '/api/health')).body.warnings).toContain(warning)
  expect(plain.log.text()).toContain(warning)
})

test('an invalid address stops the start with one sentence', async () => {
  const { stderr, code } = await runServer({ DATA_DIR: tempDir(), PORT: '0', PUBLIC_URL: 'https://carrel.example.com/api' })
  expect([code, stderr]).toEqual([
    1,
    'carrel: PUBLIC_URL is "https://carrel.example.com/api" and must not have a path that begins with /api, which is a path of the server itself; choose another, such as https://carrel.example.com or https://example.com/carrel.\n',
  ])
})

test('commands reach a server whose HOST differs from the name in PUBLIC_URL', async () => {
  const path = join(app.dataDir, 'server.json')
  const facts = JSON.parse(readFileSync(path, 'utf8'))
  writeFileSync(path, JSON.stringify({ ...facts, url: `http://carrel.lan:${new URL(app.url).port}` }))
  const resolve = `import dns from 'node:dns'; dns.lookup = (name, options, done) => done(null, [{ address: '127.0.0.1', family: 4 }])`
  const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(resolve)}` }
  const listed = await runCarrelProcess(['list'], { dataDir: app.dataDir, env })
  writeFileSync(path, JSON.stringify(facts))
  expect(listed).toEqual({ code: 0, out: '', err: '' })
})
