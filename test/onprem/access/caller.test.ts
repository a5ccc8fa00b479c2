import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createServer } from '../../../onprem/server.ts'
import { signIn } from '../../fixtures/sign-in.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'
import { type Access, choices, methodOf, type Route, routes } from '../routes.ts'

const switches = [
  'anonymousParse',
  'anonymousRefresh',
  'anonymousDelete',
  'anonymousSupportBundle',
  'anonymousMetrics',
  'requireMcpAuth',
  'hidePrivate',
]
/** The settings with which a row is tried: none, the one that changes it, those that must not open it, and all. */
const statesOf = ({ switched }: Route) => [
  [],
  ...(switched ? [[switched.by]] : []),
  switches.filter((each) => each !== switched?.by && each !== 'requireMcpAuth'),
  switches,
]

let app: TestInstall
let callers: Record<string, { key?: string | undefined; session?: User }>
/** Keys that identify nobody: no setting changes that. */
const invalidKeys = [
  'with a key of another service',
  'with a revoked key',
  'with an expired key',
  'with the key of a disabled user',
  'with the key of a deleted user',
  'with a key from another network',
]

type User = { username: string; password: string }
const runningBackup = new AbortController()
const password = 'a long password'

beforeAll(async () => {
  app = await testInstall()
  const { keys, users, passwords } = app.app
  const revoked = keys.create({ name: 'revoked', role: 'admin' })
  keys.revoke(revoked.id)
  const expired = keys.create({ name: 'expired', role: 'admin', expiresAt: new Date(0) })
  const hash = await passwords.hash(password)
  await app.app.backups.open(false, runningBackup.signal)
  const user = (username: string, role: 'admin' | 'member') => {
    const userId = users.create({ username, role, hash })
    return { userId, session: { username, password }, key: keys.create({ name: 'theirs', role: 'admin', userId }).key }
  }
  const [member, admin] = [user('mia', 'member'), user('ada', 'admin')]
  const [disabled, deleted] = [user('dan', 'admin'), user('del', 'admin')]
  users.change(disabled.userId, { disabled: true })
  users.remove(deleted.userId)
  const limited = (limits: Partial<Parameters<typeof keys.create>[0]>) =>
    keys.create({ name: 'limited', role: 'admin', ...limits }).key
  callers = {
    nobody: {},
    'with an unknown key': { key: `${app.keys.admin.slice(0, -10)}0123456789` },
    'with a key of another service': { key: 'ctx7sk-0123456789abcdef' },
    'with a revoked key': { key: revoked.key },
    'with an expired key': { key: expired.key },
    'with the key of a disabled user': { key: disabled.key },
    'with the key of a deleted user': { key: deleted.key },
    member: { key: app.keys.member },
    'with the key of a member': { key: member.key },
    'signed in as a member': { session: member.session },
    admin: { key: app.keys.admin },
    'with the key of an admin': { key: admin.key },
    'signed in as an admin': { session: admin.session },
    'signed in with the default pair': { session: { username: 'admin', password: 'admin' } },
    'with a key of a member that only reads': { key: limited({ scope: 'read', userId: member.userId }) },
    'with a key of an admin that only reads': { key: limited({ scope: 'read', userId: admin.userId }) },
    'with a key of an admin that adds': { key: limited({ scope: 'add', userId: admin.userId }) },
    'with a key for some libraries': { key: limited({ libraries: ['/acme/*'] }) },
    'with a key from another network': { key: limited({ addresses: ['192.0.2.0/24'] }) },
  }
})
afterAll(() => {
  runningBackup.abort()
  return app.close()
})
afterEach(() => turn([]))

const turn = (on: string[]) =>
  app.app.settings.change(Object.fromEntries(switches.map((each) => [`permissions.${each}`, on.includes(each) || null])))

const send = (route: Route, init: { key?: string; headers?: Record<string, string> } = {}) =>
  app.ask(route.path, {
    method: methodOf(route),
    ...init,
    headers: { ...(route.body && { 'content-type': 'application/json' }), ...init.headers },
    body: route.body,
  })

/** The headers that a browser sends from a page of this server, by user. */
const browsers = new Map<User, Promise<string>>()
async function browserOf(user: User): Promise<Record<string, string>> {
  const signedIn = browsers.get(user) ?? signIn(app, user)
  browsers.set(user, signedIn)
  return { cookie: await signedIn, origin: app.url }
}

const accessOf = ({ access, switched, keptBy }: Route, on: string[]): Access =>
  switched && on.includes(switched.by) && !(keptBy && on.includes(keptBy)) ? switched.to : access

function expected(
  access: Access,
  { path, answer, anonymousAnswer = answer, hidesNames, withInitialPassword }: Route,
  on: string[],
): Record<string, number> {
  const kept = hidesNames && on.includes('requireMcpAuth')
  const stranger = access === 'everyone' && !kept ? anonymousAnswer : 401
  const member = access === 'admin' ? 403 : answer
  const reader = access === 'everyone' ? stranger : access === 'key' ? answer : 403
  const isMcp = path === '/mcp'
  return {
    nobody: stranger,
    'with an unknown key': stranger,
    'with a key of another service': stranger,
    'with a revoked key': stranger,
    'with an expired key': stranger,
    'with the key of a disabled user': stranger,
    'with the key of a deleted user': stranger,
    member,
    'with the key of a member': member,
    'signed in as a member': isMcp ? stranger : member,
    admin: answer,
    'with the key of an admin': answer,
    'signed in as an admin': isMcp ? stranger : answer,
    'signed in with the default pair': isMcp ? stranger : withInitialPassword ? answer : 403,
    'with a key of a member that only reads': reader,
    'with a key of an admin that only reads': reader,
    'with a key of an admin that adds': member,
    'with a key for some libraries': member,
    'with a key from another network': stranger,
  }
}

const table = [...routes, ...choices].flatMap((route) =>
  statesOf(route).map((on) => ({
    ...route,
    on,
    who: accessOf(route, on),
    set: on.length === 0 ? 'every setting off' : `${on.join(', ')} on`,
  })),
)

test.each(table)('the route $route allows only $who with $set', async ({ on, who, ...route }) => {
  turn(on)
  const statuses: Record<string, number> = {}
  for (const [caller, { key, session }] of Object.entries(callers)) {
    if (on.length > 0 && invalidKeys.includes(caller)) continue
    statuses[caller] = (await send(route, { key, headers: session && (await browserOf(session)) })).status
    if (session && route.path.endsWith('/sign-out')) browsers.delete(session)
  }
  expect(expected(who, route, on)).toMatchObject(statuses)
})

test('every route of the server is in the access table', () => {
  const declared = createServer(app.app, async () => true)
    .routes.filter(({ method, path }) => method !== 'ALL' || path === '/mcp')
    .map(({ method, path }) => `${method} ${path.replace(/:(\w+)(\{[^}]*\})?/g, '{$1}')}`)
  expect([...new Set(declared)].sort()).toEqual(routes.map(({ route }) => route).sort())
})

test('a missing key is rejected with the right prefix and without a hint of OAuth', async () => {
  const response = await app.ask('/api/jobs')
  expect(response.status).toBe(401)
  expect(response.headers.get('www-authenticate')).toBe('Bearer realm="carrel"')
  expect(await response.json()).toEqual({
    error: 'invalid_api_key',
    message: 'This requires an API key: send "Authorization: Bearer carrel_op_…".',
  })
})

test('an invalid key is reported as invalid', async () => {
  const response = await app.ask('/api/jobs', { headers: { authorization: 'Bearer ctx7op-unknown' } })
  expect(await response.json()).toEqual({
    error: 'invalid_api_key',
    message: 'The API key is unknown, expired or revoked in this install; its keys begin with carrel_op_.',
  })
})

test('a missing key at /mcp is a JSON-RPC error', async () => {
  turn(['requireMcpAuth'])
  const response = await app.ask('/mcp', { method: 'POST', body: '{' })
  expect(response.status).toBe(401)
  expect(response.headers.get('www-authenticate')).toBe('Bearer realm="carrel"')
  expect(await response.json()).toEqual({
    jsonrpc: '2.0',
    error: { code: -32001, message: 'This requires an API key: send "Authorization: Bearer carrel_op_…".' },
    id: null,
  })
})

test("a member's key is rejected with the reason on admin routes", async () => {
  expect(await app.json('/api/projects/a/b', { method: 'DELETE', key: app.keys.member })).toEqual({
    status: 403,
    body: { error: 'forbidden', message: 'This requires the key of an admin; yours is a member.' },
  })
})

test('a signed-in member is rejected with the reason on admin routes', async () => {
  const headers = await browserOf({ username: 'mia', password })
  expect(await app.json('/api/users', { headers })).toEqual({
    status: 403,
    body: { error: 'forbidden', message: 'This requires an admin; you are a member.' },
  })
})

test('a valid key takes precedence over a session', async () => {
  const headers = { ...(await browserOf({ username: 'ada', password })), origin: 'http://localhost:1' }
  expect((await app.ask('/api/users', { headers, key: app.keys.member })).status).toBe(403)
  expect((await app.ask('/api/users/none', { method: 'DELETE', headers, key: app.keys.admin })).status).toBe(404)
})

test('a page of another origin cannot write with a session, not even to health', async () => {
  const headers = { ...(await browserOf({ username: 'ada', password })), origin: 'http://localhost:1' }
  for (const path of ['/api/health', '/api/ready', '/api/users'])
    expect((await app.ask(path, { method: 'POST', headers })).status).toBe(403)
})

test('a revoked key stops working immediately', async () => {
  const { id, key } = app.app.keys.create({ name: 'short-lived', role: 'member' })
  expect((await app.ask('/api/jobs', { key })).status).toBe(200)
  app.app.keys.revoke(id)
  expect((await app.ask('/api/jobs', { key })).status).toBe(401)
})

test('a permission setting applies from the next request, without a restart', async () => {
  expect(await app.json('/api/auth/mcp')).toEqual({ status: 200, body: { enabled: false } })
  turn(['requireMcpAuth'])
  expect(await app.json('/api/auth/mcp')).toEqual({ status: 200, body: { enabled: true } })
})

test.each([
  ['Authorization', 'Bearer '],
  ['Authorization', 'bearer   '],
  ['Authorization', ''],
  ['X-Carrel-API-Key', ''],
  ['X-Context7-API-Key', ''],
  ['Context7-API-Key', ''],
  ['X-API-Key', ''],
  ['CONTEXT7_API_KEY', ''],
  ['X_API_KEY', ''],
  ['X_API_KEY', 'Bearer '],
])('a key is read from the header %s: %s<key>', async (name, before) => {
  const response = await app.ask('/api/jobs', { headers: { [name]: before + app.keys.member } })
  expect(response.status).toBe(200)
})

test.each([
  ['Bearer ctx7sk-1', 400],
  ['Basic dXNlcjpwYXNz', 200],
  ['digest username="mia", nonce="x"', 200],
  ['Bearer', 200],
  ['Bearer ', 200],
  ['', 200],
])(
  'a request with "Authorization: %s" and a valid X-API-Key gets %i, because two different keys are rejected',
  async (authorization, status) => {
    const response = await app.ask('/api/jobs', { headers: { authorization, 'x-api-key': app.keys.member } })
    expect(response.status).toBe(status)
  },
)
