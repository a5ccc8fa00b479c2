import { afterEach, beforeEach, expect, test } from 'vitest'
import { signIn } from '../../fixtures/sign-in.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'

let app: TestInstall
/** A session of the first admin, whose initial password is changed. */
let admin: Record<string, string>
let adminId: string

beforeEach(async () => {
  app = await testInstall()
  adminId = app.app.users.list()[0]?.id ?? ''
  app.app.users.change(adminId, { username: 'ada', hash: await app.app.passwords.hash(password) })
  admin = await browser('ada')
})
afterEach(() => app.close())

const password = 'a long password'
type Answer = { status: number; body: Record<string, unknown> }

const browser = async (username: string) => ({ cookie: await signIn(app, { username, password }), origin: app.url })
const call = (method: string, path: string, body?: unknown, headers = admin) =>
  app.json(path, { method, body, headers }) as Promise<Answer>
/** A user who has chosen the password, as everyone must before anything else. */
const make = async (username: string, role = 'member') => {
  const id = String((await call('POST', '/api/users', { username, password, role })).body.id)
  app.app.users.change(id, { hash: await app.app.passwords.hash(password) })
  return id
}
const statusOf = async (of: { headers?: Record<string, string>; key?: string }, path = '/api/keys') =>
  (await app.ask(path, of)).status

test('an admin creates a user, who is listed and can sign in', async () => {
  const made = await call('POST', '/api/users', { username: 'Mia@Example.com', password, role: 'member' })
  expect(made).toEqual({ status: 201, body: { id: expect.any(String) } })
  // The password is not their own yet.
  expect(await statusOf({ headers: await browser('mia@example.com') })).toBe(403)
  const { body } = await call('GET', '/api/users')
  const more = {
    hostAccounts: {},
    issuer: null,
    secondFactor: false,
    createdAt: expect.stringMatching(/Z$/),
    lastSignInAt: expect.stringMatching(/Z$/),
  }
  expect(body).toEqual({
    users: [
      { id: adminId, username: 'ada', role: 'admin', disabled: false, mustChangePassword: false, ...more },
      { id: made.body.id, username: 'mia@example.com', role: 'member', disabled: false, mustChangePassword: true, ...more },
    ],
    total: 2,
  })
  expect(await app.json('/api/health')).toMatchObject({ body: { licenseInfo: { teamSize: 2 } } })
})

test.each([
  [{ username: 'mia', password: 'short', role: 'member' }, 'password must have at least 8 characters.'],
  [{ username: 'mia', password, role: 'owner' }, 'role must be one of admin, member.'],
  [{ username: 'ADA', password, role: 'member' }, 'The user name ada is taken. Choose another one.'],
  [
    { username: '../x', password, role: 'member' },
    'username must consist of letters, digits and . _ @ + - and begin with a letter or digit.',
  ],
  [{ username: 'mia', role: 'member' }, 'password is required.'],
])('a request with %j creates no user', async (body, message) => {
  expect(await call('POST', '/api/users', body)).toEqual({
    status: 400,
    body: { error: 'validation_error', message, fields: expect.any(Array) },
  })
  expect(app.app.users.count()).toBe(1)
})

test('a disabled user is rejected immediately, by session and key, until enabled again', async () => {
  const id = await make('mia')
  const headers = await browser('mia')
  const { key } = app.app.keys.create({ name: 'laptop', role: 'member', userId: id })
  expect([await statusOf({ headers }), await statusOf({ key })]).toEqual([200, 200])
  expect(await call('PATCH', `/api/users/${id}`, { disabled: true })).toMatchObject({ status: 200, body: { disabled: true } })
  expect([await statusOf({ headers }), await statusOf({ key })]).toEqual([401, 401])
  await expect(browser('mia')).rejects.toThrow('This user is disabled; ask an admin.')
  await call('PATCH', `/api/users/${id}`, { disabled: false })
  expect([await statusOf({ headers }), await statusOf({ key })]).toEqual([401, 200])
  expect(await statusOf({ headers: await browser('mia') })).toBe(200)
})

test('a deleted user loses sessions and keys immediately', async () => {
  const id = await make('mia')
  const headers = await browser('mia')
  const { key } = app.app.keys.create({ name: 'laptop', role: 'member', userId: id })
  expect(await call('DELETE', `/api/users/${id}`)).toMatchObject({ status: 200 })
  expect([await statusOf({ headers }), await statusOf({ key })]).toEqual([401, 401])
  expect(app.app.keys.list().map(({ name }) => name)).not.toContain('laptop')
  await expect(browser('mia')).rejects.toThrow('The user name or the password is wrong.')
  expect((await call('DELETE', `/api/users/${id}`)).status).toBe(404)
})

test('a new role applies from the next request on, also to keys', async () => {
  const id = await make('mia', 'admin')
  const headers = await browser('mia')
  const { key } = app.app.keys.create({ name: 'laptop', role: 'admin', userId: id })
  expect([await statusOf({ headers }, '/api/audit'), await statusOf({ key }, '/api/audit')]).toEqual([200, 200])
  await call('PATCH', `/api/users/${id}`, { role: 'member' })
  expect([await statusOf({ headers }, '/api/audit'), await statusOf({ key }, '/api/audit')]).toEqual([403, 403])
  await call('PATCH', `/api/users/${id}`, { role: 'admin' })
  expect([await statusOf({ headers }, '/api/audit'), await statusOf({ key }, '/api/audit')]).toEqual([200, 200])
})

test('a new password ends every session of its user', async () => {
  const id = await make('mia')
  const headers = await browser('mia')
  await call('PATCH', `/api/users/${id}`, { password: 'another password' })
  expect(await statusOf({ headers })).toBe(401)
  await signIn(app, { username: 'mia', password: 'another password' })
})

test('a new password keeps the keys of its user, or revokes them all if asked to', async () => {
  const id = await make('mia')
  const keyOf = (userId: string) => app.app.keys.create({ name: 'agent', role: 'member', userId }).key
  const [key, other] = [keyOf(id), keyOf(adminId)]
  await call('PATCH', `/api/users/${id}`, { password: 'another password', revokeKeys: false })
  expect(await statusOf({ key })).toBe(200)
  expect((await call('PATCH', `/api/users/${id}`, { password: 'a third password', revokeKeys: true })).status).toBe(200)
  expect([await statusOf({ key }), await statusOf({ key: other })]).toEqual([401, 200])
  const { entries } = app.app.audit.list(1, 10, { q: 'mia', action: 'user' })
  expect(entries.map(({ action }) => action)).toEqual(['user.password', 'user.revokeKeys', 'user.password', 'user.create'])
})

test('an admin key can set the password of another admin', async () => {
  const { status } = await app.json(`/api/users/${adminId}`, {
    method: 'PATCH',
    key: app.keys.admin,
    body: { password: 'another password' },
  })
  expect(status).toBe(200)
  await signIn(app, { username: 'ada', password: 'another password' })
})

test.each([
  ['deleted', 'DELETE', undefined],
  ['disabled', 'PATCH', { disabled: true }],
  ['demoted', 'PATCH', { role: 'member' }],
])('the last enabled admin is not %s', async (_what, method, body) => {
  const other = await make('other', 'admin')
  await call('PATCH', `/api/users/${other}`, { disabled: true })
  const asKey = { authorization: `Bearer ${app.keys.admin}` }
  expect(await call(method, `/api/users/${adminId}`, body, asKey)).toEqual({
    status: 403,
    body: { error: 'forbidden', message: 'This is the last admin. Make another user an admin first.' },
  })
  await call('PATCH', `/api/users/${other}`, { disabled: false })
  expect((await call(method, `/api/users/${adminId}`, body, asKey)).status).toBe(200)
})

test.each([
  ['delete', 'DELETE', undefined],
  ['disable', 'PATCH', { disabled: true }],
])('users cannot %s themselves', async (what, method, body) => {
  await make('other', 'admin')
  expect(await call(method, `/api/users/${adminId}`, body)).toEqual({
    status: 403,
    body: { error: 'forbidden', message: `You cannot ${what} yourself; ask another admin.` },
  })
})

test('an unknown user is 404', async () => {
  const body = { error: 'user_not_found', message: 'There is no user with this id.' }
  expect(await call('PATCH', '/api/users/none', { role: 'member' })).toEqual({ status: 404, body })
  expect(await call('DELETE', '/api/users/none')).toEqual({ status: 404, body })
})

test('the audit log names who changed a user, newest first and in pages, but no password', async () => {
  const id = await make('mia')
  await call('PATCH', `/api/users/${id}`, { role: 'admin', password: 'another password' })
  await app.json(`/api/users/${id}`, { method: 'DELETE', key: app.keys.admin })
  const audit = async (query: string) => (await call('GET', `/api/audit${query}`)).body
  const all = await audit('?action=user')
  expect(all).toMatchObject({
    entries: [
      { at: expect.any(String), actor: 'key admin', action: 'user.delete', subject: 'mia' },
      { at: expect.any(String), actor: 'ada', action: 'user.password', subject: 'mia' },
      { at: expect.any(String), actor: 'ada', action: 'user.role', subject: 'mia' },
      { at: expect.any(String), actor: 'ada', action: 'user.create', subject: 'mia' },
    ],
    total: 4,
    page: 1,
    pageSize: 50,
  })
  expect(JSON.stringify(all)).not.toContain('another password')
  expect(await audit('?action=user&page=2&pageSize=3')).toMatchObject({
    entries: [{ action: 'user.create' }],
    total: 4,
    page: 2,
    pageSize: 3,
  })
})

test('the license is returned without its signature', async () => {
  const { id, customer, kind, expiresAt } = app.app.license
  expect(await call('GET', '/api/license')).toEqual({ status: 200, body: { id, customer, kind, expiresAt, valid: true } })
})

test.each([
  ['a page of another origin', { origin: 'http://localhost:1' }],
  ['a page of none', { origin: 'null' }],
  ['no page', {}],
])('a write by a session from %s is rejected before it is read', async (_what, headers) => {
  const { cookie = '' } = admin
  const send = (method: string, path: string, type: string) =>
    app.ask(path, { method, headers: { cookie, 'content-type': type, ...headers }, ...(method !== 'DELETE' && { body: '{' }) })
  const answers = await Promise.all([
    send('POST', '/api/users', 'application/json'),
    send('POST', '/api/keys', 'text/plain'),
    send('PATCH', `/api/users/${adminId}`, 'application/json'),
    send('DELETE', '/api/projects/a/b', 'text/plain'),
    send('POST', '/api/auth/session/sign-out', 'text/plain'),
  ])
  expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403])
  expect(await statusOf({ headers: { cookie } })).toBe(200)
})

test('a write with a key needs no origin', async () => {
  const headers = { origin: 'http://localhost:1', authorization: `Bearer ${app.keys.admin}` }
  expect((await call('POST', '/api/users', { username: 'mia', password, role: 'member' }, headers)).status).toBe(201)
})
