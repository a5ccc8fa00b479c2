import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { betterAuthAccounts } from '../../../onprem/accounts/accounts.ts'
import { createServer } from '../../../onprem/server.ts'
import { openDatabase } from '../../../shared/store/database.ts'
import { cookiesOf, signIn } from '../../fixtures/sign-in.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'
import { waitOf } from '../../fixtures/wait-of.ts'

let app: TestInstall

beforeEach(async () => {
  app = await testInstall()
})
afterEach(() => app.close())

const path = '/api/auth/session/sign-in/username'
const pair = { username: 'mia', password: 'a long password' }
const wrong = { error: 'invalid_api_key', message: 'The user name or the password is wrong.' }

async function makeUser({ username, password } = pair, role: 'admin' | 'member' = 'member'): Promise<string> {
  return app.app.users.create({ username, role, hash: await app.app.passwords.hash(password) })
}

const trySignIn = (body: unknown, headers: Record<string, string> = {}) =>
  app.ask(path, { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json', ...headers } })

const cookieOf = (answer: Response) => cookiesOf(answer.headers.getSetCookie())
const getSession = (cookie: string) => app.json('/api/auth/session/get-session', { headers: { cookie } })

test('a sign-in returns the user and an HttpOnly, SameSite cookie, but no token', async () => {
  const id = await makeUser()
  const answer = await trySignIn({ ...pair, username: ' MIA ' })
  expect(answer.status).toBe(200)
  const text = await answer.text()
  expect(JSON.parse(text)).toEqual({
    user: { id, username: 'mia', role: 'member', mustChangeCredentials: false, passwordSetByOther: false, issuer: null },
  })
  const [cookie, ...others] = answer.headers.getSetCookie()
  expect(others).toEqual([])
  expect(cookie).toMatch(/^carrel\.session_token=[^;]{60,}; Max-Age=604800; Path=\/; HttpOnly; SameSite=Lax$/)
  expect(text).not.toContain(/=([^.]+)/.exec(cookie ?? '')?.[1])
})

test('the cookie behind TLS is Secure and only for this host', async () => {
  await makeUser()
  const answer = await trySignIn(pair, { 'x-forwarded-proto': 'https' })
  const [cookie] = answer.headers.getSetCookie()
  expect(cookie).toMatch(/^__Host-carrel\.session_token=[^;]+; Max-Age=604800; Path=\/; HttpOnly; Secure; SameSite=Lax$/)
  const asked = (headers: Record<string, string>) => app.json('/api/keys', { headers: { cookie: cookieOf(answer), ...headers } })
  expect((await asked({ 'x-forwarded-proto': 'https' })).status).toBe(200)
  expect((await asked({})).status).toBe(401)
})

test('get-session returns the user until the sign-out', async () => {
  const id = await makeUser()
  const cookie = cookieOf(await trySignIn(pair))
  expect(await getSession(cookie)).toEqual({
    status: 200,
    body: {
      user: { id, username: 'mia', role: 'member', mustChangeCredentials: false, passwordSetByOther: false, issuer: null },
      expiresAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    },
  })
  const out = await app.ask('/api/auth/session/sign-out', { method: 'POST', headers: { cookie, origin: app.url } })
  expect(out.status).toBe(200)
  expect(out.headers.getSetCookie()[0]).toMatch(/^carrel\.session_token=; Max-Age=0; /)
  expect(await getSession(cookie)).toEqual({ status: 200, body: null })
  expect((await app.ask('/api/keys', { headers: { cookie } })).status).toBe(401)
})

test.each([
  ['a wrong password', { ...pair, password: 'a wrong password' }],
  ['an unknown name', { ...pair, username: 'nobody' }],
  ['a name of no shape', { ...pair, username: '../..' }],
  ['an empty name', { ...pair, username: ' ' }],
  ['a name longer than any', { ...pair, username: 'x'.repeat(200) }],
  ['the password of another', { ...pair, password: 'admin' }],
])('a sign-in with %s is rejected without naming the wrong half', async (_what, body) => {
  await makeUser()
  const answer = await trySignIn(body)
  expect([answer.status, await answer.json(), answer.headers.getSetCookie()]).toEqual([401, wrong, []])
})

test('a disabled user learns it only with the right password', async () => {
  app.app.users.change(await makeUser(), { disabled: true })
  const statuses = [await trySignIn(pair), await trySignIn({ ...pair, password: 'a wrong password' })]
  expect(statuses.map(({ status }) => status)).toEqual([403, 401])
  expect(await statuses[0]?.json()).toEqual({ error: 'forbidden', message: 'This user is disabled; ask an admin.' })
})

test.each([
  [{}, 'username is required. password is required.'],
  [{ username: 5, password: 'x' }, 'username must be a text.'],
  [{ username: 'x', password: '' }, 'password must not be empty.'],
  [{ username: 'x', password: 'x'.repeat(300) }, 'password is too long.'],
  [[], 'The body must be a JSON object.'],
])('a sign-in with the body %j is invalid', async (body, message) => {
  const answer = await trySignIn(body)
  expect([answer.status, await answer.json()]).toEqual([400, { error: 'validation_error', message, fields: expect.any(Array) }])
})

test('a body that is not JSON or too long is rejected', async () => {
  const send = (body: string, type = 'application/json') =>
    app.ask(path, { method: 'POST', body, headers: { 'content-type': type } })
  const answers = await Promise.all([
    send('{'),
    send('username=admin&password=admin', 'application/x-www-form-urlencoded'),
    send(JSON.stringify({ ...pair, password: 'x'.repeat(20_000) })),
  ])
  expect(answers.map(({ status }) => status)).toEqual([400, 400, 413])
})

test.each([
  ['POST', 'sign-up/email'],
  ['POST', 'sign-in/email'],
  ['POST', 'change-password'],
  ['POST', 'update-user'],
  ['POST', 'revoke-sessions'],
  ['GET', 'list-sessions'],
  ['GET', 'admin/list-users'],
  ['POST', 'admin/create-user'],
  ['POST', 'admin/impersonate-user'],
  ['POST', 'is-username-available'],
  ['POST', 'get-session'],
  ['GET', 'ok'],
])('the route %s /api/auth/session/%s does not exist', async (method, below) => {
  const answer = await app.ask(`/api/auth/session/${below}`, { method, ...(method === 'POST' && { body: '{}' }) })
  expect(answer.status).toBe(404)
})

test('an invented, altered or foreign cookie is anonymous', async () => {
  await makeUser()
  const cookie = await signIn(app, pair)
  const [name = '', token = ''] = cookie.split('=')
  const forged = [
    `${name}=`,
    `${name}=x`,
    `${name}=${token.split('.')[0]}`,
    `${name}=${token.slice(0, -8)}AAAAAAA%3D`,
    `${name}=%`,
  ]
  for (const each of forged)
    expect([each, (await app.ask('/api/keys', { headers: { cookie: each } })).status]).toEqual([each, 401])
  expect((await app.ask('/api/keys', { headers: { cookie } })).status).toBe(200)
})

test('each sign-in creates a new token and never adopts one from the client', async () => {
  await makeUser()
  const before = await signIn(app, pair)
  const answer = await trySignIn(pair, { cookie: before, origin: app.url })
  expect(answer.status).toBe(200)
  expect(cookieOf(answer)).not.toBe(before)
})

test('a session of a day is renewed by get-session, and an expired one is anonymous', async () => {
  const userId = await makeUser()
  const cookie = await signIn(app, pair)
  const db = openDatabase(app.dataDir)
  const expiresIn = (days: number) =>
    db
      .prepare('UPDATE sessions SET expires_at = ? WHERE user_id = ?')
      .run(new Date(Date.now() + days * 86_400_000).toISOString(), userId)
  expiresIn(5)
  const renewed = await app.ask('/api/auth/session/get-session', { headers: { cookie } })
  expect(renewed.headers.getSetCookie()[0]).toMatch(/^carrel\.session_token=[^;]{60,}; Max-Age=604800;/)
  const { expiresAt } = (await renewed.json()) as { expiresAt: string }
  expect(Date.parse(expiresAt)).toBeGreaterThan(Date.now() + 6 * 86_400_000)
  expiresIn(-1)
  expect((await app.ask('/api/keys', { headers: { cookie } })).status).toBe(401)
  expect(await getSession(cookie)).toEqual({ status: 200, body: null })
  db.close()
})

test('a session from when the clock was years ahead ends at its next request', async () => {
  const userId = await makeUser()
  const cookie = await signIn(app, pair)
  const db = openDatabase(app.dataDir)
  onTestFinished(() => db.close())
  const inYears = new Date(Date.now() + 5 * 365 * 86_400_000).toISOString()
  db.prepare('UPDATE sessions SET expires_at = ?, created_at = ?, updated_at = ? WHERE user_id = ?').run(
    inYears,
    inYears,
    inYears,
    userId,
  )
  expect((await app.ask('/api/keys', { headers: { cookie } })).status).toBe(401)
  expect(await getSession(cookie)).toEqual({ status: 200, body: null })
  expect(db.prepare('SELECT count(*) AS sessions FROM sessions WHERE user_id = ?').get(userId)).toEqual({ sessions: 0 })
})

test('a sign-in deletes expired sessions', async () => {
  await makeUser()
  await signIn(app, pair)
  const db = openDatabase(app.dataDir)
  onTestFinished(() => db.close())
  db.exec("UPDATE sessions SET expires_at = '2001-01-01T00:00:00.000Z'")
  await signIn(app, pair)
  expect(db.prepare('SELECT count(*) AS sessions FROM sessions').get()).toEqual({ sessions: 1 })
})

test('a password that changes during a sign-in opens no session', async () => {
  const id = await makeUser()
  const { users, log } = app.app
  const db = openDatabase(app.dataDir)
  onTestFinished(() => db.close())
  const passwords = {
    ...app.app.passwords,
    async verify() {
      users.change(id, { hash: 'another' })
      return true
    },
  }
  const accounts = betterAuthAccounts({ db, users, settings: app.app.settings, passwords, log, secret: () => 'x'.repeat(32) })
  await expect(accounts.checkPassword(pair)).rejects.toThrow(wrong.message)
  expect(db.prepare('SELECT count(*) AS sessions FROM sessions').get()).toEqual({ sessions: 0 })
})

test('a session of a user who is disabled meanwhile is anonymous', async () => {
  const id = await makeUser()
  const cookie = await signIn(app, pair)
  const db = openDatabase(app.dataDir)
  onTestFinished(() => db.close())
  db.prepare('UPDATE users SET banned = 1 WHERE id = ?').run(id)
  expect((await app.ask('/api/keys', { headers: { cookie } })).status).toBe(401)
  expect(await getSession(cookie)).toEqual({ status: 200, body: null })
})

test('a request without a session does not load better-auth', async () => {
  const { users, passwords } = app.app
  const secret = () => {
    throw new Error('the sessions are opened')
  }
  const db = openDatabase(app.dataDir)
  onTestFinished(() => db.close())
  const accounts = betterAuthAccounts({ db, users, settings: app.app.settings, passwords, log: app.app.log, secret })
  const server = createServer({ ...app.app, accounts }, async () => true)
  const ask = async (headers: Record<string, string>) =>
    (await server.request('http://127.0.0.1/api/jobs', { headers: { host: '127.0.0.1', ...headers } })).status
  const withKey = { authorization: `Bearer ${app.keys.member}` }
  const session = { cookie: 'carrel.session_token=x.y' }
  expect(await ask({})).toBe(401)
  expect(await ask({ cookie: 'theme=dark' })).toBe(401)
  expect(await ask({ ...withKey, ...session })).toBe(200)
  expect(await ask(session)).toBe(500)
})

test('a page of another origin cannot sign in anyone', async () => {
  const answer = await trySignIn({ username: 'admin', password: 'admin' }, { origin: 'http://localhost:1' })
  expect([answer.status, answer.headers.getSetCookie()]).toEqual([403, []])
})

test.each(['x-forwarded-for', 'x-forwarded-host', 'forwarded', 'x-real-ip', 'via'])(
  'the public initial password is not accepted through a proxy that sends %s',
  async (name) => {
    const known = { username: 'Admin', password: 'admin' }
    const answer = await trySignIn(known, { [name]: '198.51.100.7' })
    expect([answer.status, answer.headers.getSetCookie()]).toEqual([403, []])
    expect(await answer.text()).toContain('Set PUBLIC_URL to the address that users see')
    expect((await trySignIn(known)).status).toBe(200)
  },
)

test('many sign-ins from one address are limited while the server stays responsive', async () => {
  await makeUser()
  const storm = Promise.all(
    Array.from({ length: 200 }, (_, n) => trySignIn({ ...pair, password: `guess number ${n}` }).then(({ status }) => status)),
  )
  const ended = storm.then(() => true)
  let served = 0
  do {
    expect((await app.ask('/api/health')).status).toBe(200)
    served += 1
  } while (!(await Promise.race([ended, sleep(5, false)])))
  const statuses = await storm
  expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(10)
  expect([...new Set(statuses)].sort()).toEqual([401, 429])
  const refused = await trySignIn(pair)
  expect(refused.status).toBe(429)
  expect(waitOf(refused.headers)).toMatchObject({ limit: 10, remaining: 0, resets: true })
  expect(await refused.json()).toMatchObject({ error: 'rate_limit_exceeded' })
  expect(served).toBeGreaterThan(1)
})

test.each([
  ['from a peer that is no trusted proxy share its limit, whatever addresses they name', '10.0.0.0/8', 429],
  ['through a trusted proxy are limited by the address that it names', '127.0.0.1', 401],
])('sign-ins %s', async (_, trusted, last) => {
  const proxied = await testInstall({ env: { TRUSTED_PROXIES: trusted } })
  onTestFinished(() => proxied.close())
  const statuses: number[] = []
  for (let n = 1; n <= 11; n++) {
    const address = `198.51.100.${n}`
    const { status } = await proxied.ask(path, {
      method: 'POST',
      body: JSON.stringify({ username: `user${n}`, password: 'a wrong password' }),
      headers: {
        'content-type': 'application/json',
        'x-forwarded-for': address,
        forwarded: `for=${address}`,
        'x-real-ip': address,
      },
    })
    statuses.push(status)
  }
  expect(statuses).toEqual([...Array<number>(10).fill(401), last])
})

test('neither passwords nor tokens reach the log', async () => {
  await makeUser()
  const cookie = cookieOf(await trySignIn(pair))
  await trySignIn({ ...pair, password: 'a wrong password' })
  await app.json('/api/account/credentials', {
    method: 'POST',
    headers: { cookie, origin: app.url },
    body: { currentPassword: pair.password, username: 'mia', password: 'another long one' },
  })
  const log = app.log.text()
  expect(log).toContain('/api/account/credentials')
  for (const secret of [pair.password, 'a wrong password', 'another long one', /=([^.]+)/.exec(cookie)?.[1] ?? cookie])
    expect(log).not.toContain(secret)
})
