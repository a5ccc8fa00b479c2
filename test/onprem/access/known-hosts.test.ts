import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createServer } from '../../../onprem/server.ts'
import { cookiesOf } from '../../fixtures/sign-in.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'
import { methodOf, routes } from '../routes.ts'

const password = 'a long password'
let app: TestInstall

beforeAll(async () => {
  app = await testInstall()
  const hash = await app.app.passwords.hash(password)
  for (const role of ['admin', 'member'] as const) app.app.users.create({ username: `${role}-user`, role, hash })
})
afterAll(() => app.close())

/** A request to a server that other machines can reach, in the way a page under `host` sends it. */
async function ask(host: string, path: string, { headers, ...init }: RequestInit & { headers?: Record<string, string> } = {}) {
  const server = createServer({ ...app.app, loopback: false }, async () => true)
  return server.request(`http://${host || 'localhost'}${path}`, { ...init, headers: { host, ...headers } })
}
const signIn = (host: string, username: string, { as = password, origin = `http://${host}` } = {}) =>
  ask(host, '/api/auth/session/sign-in/username', {
    method: 'POST',
    headers: { origin, 'content-type': 'application/json' },
    body: JSON.stringify({ username, password: as }),
  })

const open = [
  '/api/health',
  '/api/ready',
  '/api/auth/mcp',
  '/api/auth/session/sign-in/username',
  '/api/auth/session/sign-in/passkey',
  '/api/auth/session/sign-in/second-step',
  '/api/auth/session/sign-out',
  '/api/auth/session/get-session',
  '/api/auth/oidc',
  '/api/auth/oidc/missing/start',
  '/api/auth/oidc/missing/callback',
  '/api/hooks/none',
  '/api/github/webhook',
]
const statusOf = async (route: (typeof routes)[number], headers: Record<string, string>) => {
  const { path, body = null } = route
  const method = methodOf(route)
  const { status } = await ask('evil.example', path, {
    method,
    headers: { ...headers, origin: 'http://evil.example', ...(body !== null && { 'content-type': 'application/json' }) },
    body,
  })
  return status
}

test.each(routes)('$route serves anonymous callers under an unknown name only if its response has no content', async (route) => {
  const status = await statusOf(route, {})
  expect(status === 403).toBe(!open.includes(route.path))
})

test.each(routes)('$route serves the holder of a key under every name', async (route) => {
  expect(await statusOf(route, { authorization: `Bearer ${app.keys.admin}` })).not.toBe(403)
})

test.each([
  ['127.0.0.1', 200],
  ['10.0.0.5:3000', 200],
  ['[fd00::5]:3000', 200],
  ['localhost', 200],
  ['carrel', 200],
  ['CARREL:3000', 200],
  ['carrel.local', 200],
  ['carrel.local.:3000', 200],
  ['evil.example', 403],
  ['evil.example:3000', 403],
  ['evil.example.', 403],
  ['local.evil.example', 403],
  ['localhost.evil.example', 403],
  ['127.0.0.1.evil.example', 403],
  ['evillocal.example', 403],
  ['127.1', 403],
  ['', 403],
])('an anonymous question under the host "%s" gets %i', async (host, status) => {
  expect((await ask(host, '/api/projects')).status).toBe(status)
})

test('the rejection names the unknown host and what to do', async () => {
  expect(await (await ask('docs.example.com:3000', '/api/projects')).json()).toMatchObject({
    error: 'forbidden',
    message:
      'Requests without an API key are not served under the name "docs.example.com", which could be that of a foreign web page. Sign in as an admin under this name once, or set PUBLIC_URL to the address that users see.',
  })
})

test('an unknown key does not open a host name', async () => {
  const headers = { authorization: `Bearer ${app.keys.admin.slice(0, -1)}!` }
  expect((await ask('evil.example', '/api/projects', { headers })).status).toBe(403)
})

test('the page, its files and the client program are served under every name', async () => {
  const page = await ask('docs.example.com', '/sign-in', { headers: { accept: 'text/html' } })
  const file = await ask('docs.example.com', '/cli.mjs')
  expect([page.status, file.status]).not.toContain(403)
})

test('a session works under its host name, and the sign-in of a member opens the name to nobody else', async () => {
  const signedIn = await signIn('members.example.com', 'member-user')
  expect(signedIn.status).toBe(200)
  const cookie = cookiesOf(signedIn.headers.getSetCookie())
  expect((await ask('members.example.com', '/api/projects', { headers: { cookie } })).status).toBe(200)
  expect((await ask('members.example.com', '/api/projects')).status).toBe(403)
})

test('the sign-in of an admin opens its host name to everyone, also after a restart', async () => {
  expect((await ask('docs.example.com', '/api/projects')).status).toBe(403)
  expect((await signIn('Docs.Example.com:3000', 'admin-user')).status).toBe(200)
  expect((await ask('docs.example.com', '/api/projects')).status).toBe(200)
  expect((await ask('docs.example.com.', '/api/projects')).status).toBe(200)
  expect((await ask('evil.docs.example.com', '/api/projects')).status).toBe(403)
  const [entry, ...others] = app.app.audit.list(1, 100, { q: 'host.remember' }).entries
  expect(entry).toMatchObject({ actor: 'admin-user', subject: 'docs.example.com' })
  expect(others).toEqual([])
  await app.stop()
  app = await testInstall({ reopen: app })
  expect((await ask('docs.example.com', '/api/projects')).status).toBe(200)
})

test.each([
  ['without the password', 'evil.example', 'admin-user', { as: 'a wrong password' }, 401],
  ['of another origin', 'evil.example', 'admin-user', { origin: 'http://other.example' }, 403],
  ['without an origin of a page', 'evil.example', 'admin-user', { origin: 'null' }, 403],
] as const)('a sign-in %s does not open a host name', async (_, host, username, how, status) => {
  expect((await signIn(host, username, how)).status).toBe(status)
  expect((await ask(host, '/api/projects')).status).toBe(403)
})

test('a private host name is not stored, and neither is any name on loopback or with PUBLIC_URL', async () => {
  await signIn('carrel', 'admin-user')
  const closed = await testInstall({ env: { PUBLIC_URL: 'https://carrel.example.com' } })
  onTestFinished(() => closed.close())
  const hash = await closed.app.passwords.hash(password)
  closed.app.users.create({ username: 'ada', role: 'admin', hash })
  const answer = await createServer(closed.app, async () => true).request('http://10.0.0.5/api/auth/session/sign-in/username', {
    method: 'POST',
    headers: { host: '10.0.0.5', origin: 'https://carrel.example.com', 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'ada', password }),
  })
  expect(answer.status).toBe(200)
  expect(
    [app, closed].map((each) => each.app.audit.list(1, 100, { q: 'host.remember' }).entries.map(({ subject }) => subject)),
  ).toEqual([['docs.example.com'], []])
})
