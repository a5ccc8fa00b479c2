import { afterAll, beforeAll, expect, test } from 'vitest'
import { createServer } from '../../../onprem/server.ts'
import { cookiesOf, signIn } from '../../fixtures/sign-in.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'

let app: TestInstall
beforeAll(async () => {
  app = await testInstall()
})
afterAll(() => app.close())

const path = '/api/account/credentials'
const known = { username: 'admin', password: 'admin' }
const chosen = { currentPassword: 'admin', username: 'Root', password: 'a long password' }

const change = (cookie: string, body: unknown) =>
  app.ask(path, {
    method: 'POST',
    headers: { cookie, origin: app.url, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
const asked = (cookie: string, of = '/api/keys') => app.ask(of, { headers: { cookie } })

test('a user with the initial password may only change it, and the error explains that', async () => {
  const cookie = await signIn(app, known)
  expect(await (await asked(cookie, '/api/auth/session/get-session')).json()).toMatchObject({
    user: { username: 'admin', role: 'admin', mustChangeCredentials: true, passwordSetByOther: false, issuer: null },
  })
  const refused = await asked(cookie, '/api/projects')
  const open = ['/api/health', '/api/ready', '/api/auth/mcp', '/api/openapi.json']
  for (const each of open) expect([each, (await asked(cookie, each)).status]).toEqual([each, 200])
  expect([refused.status, await refused.json()]).toEqual([
    403,
    {
      error: 'forbidden',
      message:
        'This user still has the initial password. Choose a user name and a password first, with POST /api/account/credentials.',
    },
  ])
})

test.each([
  [{ ...chosen, currentPassword: 'wrong' }, 'currentPassword is not your password.'],
  [{ ...chosen, password: 'admin' }, 'password must have at least 8 characters.'],
  [{ ...chosen, password: 'x'.repeat(257) }, 'password must not be longer than 256 characters.'],
  [{ ...chosen, username: 'a b' }, 'username must consist of letters, digits and . _ @ + - and begin with a letter or digit.'],
  [{ ...chosen, username: 'x'.repeat(65) }, 'username must not be longer than 64 characters.'],
])('the change %j is rejected', async (body, message) => {
  const cookie = await signIn(app, known)
  const refused = await change(cookie, body)
  expect([refused.status, await refused.json()]).toEqual([400, { error: 'validation_error', message, fields: expect.any(Array) }])
  expect((await change(cookie, body)).status).toBe(400)
})

test.each([
  ['a session of 16 minutes ago, although it began with the initial password', 16, known],
  ['a session that began a moment ago with an own password', 0, { username: 'ida', password: 'a long password' }],
])('the current password is required in %s', async (_session, minutes, pair) => {
  const { users, passwords } = app.app
  if (pair !== known && !users.hashOfName(pair.username))
    users.create({ username: pair.username, role: 'member', hash: await passwords.hash(pair.password) })
  const cookie = await signIn(app, pair)
  const server = createServer({ ...app.app, now: () => new Date(Date.now() + minutes * 60_000) }, async () => true)
  const answer = await server.request(path, {
    method: 'POST',
    headers: { cookie, host: '127.0.0.1', origin: 'http://127.0.0.1', 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'root', password: 'a long password' }),
  })
  expect([answer.status, await answer.json()]).toMatchObject([400, { message: 'currentPassword is required.' }])
})

test('a key of the install cannot change a password', async () => {
  const { status, body } = await app.json(path, { method: 'POST', key: app.keys.admin, body: chosen })
  expect(status).toBe(403)
  expect(body).toMatchObject({ message: 'This key belongs to the install and to no user, so it has no password to change.' })
})

test('health warns while a server that others can reach has its initial password', async () => {
  const warnings = async (loopback: boolean) => {
    const server = createServer({ ...app.app, loopback }, async () => true)
    const answer = await server.request('http://127.0.0.1/api/health', { headers: { host: '127.0.0.1' } })
    return ((await answer.json()) as { warnings: string[] }).warnings
  }
  expect(await warnings(true)).toEqual([])
  expect(await warnings(false)).toEqual(['The first user still has the initial password: sign in and change it.'])
})

test('the session that just began with the initial password needs no current password, and a wrong one is still rejected', async () => {
  const other = await testInstall()
  const cookie = await signIn(other, known)
  const send = (body: unknown) =>
    other.ask(path, {
      method: 'POST',
      headers: { cookie, origin: other.url, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  expect((await send({ ...chosen, currentPassword: 'wrong' })).status).toBe(400)
  expect((await send({ username: 'root', password: 'a long password' })).status).toBe(200)
  await expect(signIn(other, known)).rejects.toThrow('The user name or the password is wrong.')
  await other.close()
})

test('a change of credentials renews the session, ends all others and invalidates the old password', async () => {
  const [cookie, other] = [await signIn(app, known), await signIn(app, known)]
  const changed = await change(cookie, chosen)
  expect([changed.status, await changed.json()]).toEqual([
    200,
    {
      message: 'Changed. Every other session has ended.',
      user: {
        id: expect.any(String),
        username: 'root',
        role: 'admin',
        mustChangeCredentials: false,
        passwordSetByOther: false,
        issuer: null,
      },
    },
  ])
  const rotated = cookiesOf(changed.headers.getSetCookie())
  expect(rotated).not.toBe(cookie)
  const statuses = [await asked(rotated), await asked(cookie), await asked(other)].map(({ status }) => status)
  expect(statuses).toEqual([200, 401, 401])
  await expect(signIn(app, known)).rejects.toThrow('The user name or the password is wrong.')
  await expect(signIn(app, { username: 'root', password: 'admin' })).rejects.toThrow('The user name or the password is wrong.')
  expect(app.app.users.initial()).toBeUndefined()
  expect(await (await asked(rotated, '/api/audit?pageSize=1')).json()).toMatchObject({
    entries: [{ actor: 'admin', action: 'credentials.change', subject: 'root' }],
  })
})

test('a change of credentials revokes all keys of the user on request', async () => {
  const hash = await app.app.passwords.hash('a long password')
  const userId = app.app.users.create({ username: 'eve', role: 'member', hash })
  const { key } = app.app.keys.create({ name: 'agent', role: 'member', userId })
  const cookie = await signIn(app, { username: 'eve', password: 'a long password' })
  const body = { username: 'eve', password: 'a long password', currentPassword: 'a long password' }
  expect((await change(cookie, body)).status).toBe(200)
  expect((await app.ask('/api/keys', { key })).status).toBe(200)
  const again = await signIn(app, { username: 'eve', password: 'a long password' })
  expect((await change(again, { ...body, revokeKeys: true })).status).toBe(200)
  expect((await app.ask('/api/keys', { key })).status).toBe(401)
  expect(app.app.audit.list(1, 2).entries).toMatchObject([
    { action: 'user.revokeKeys', subject: 'eve' },
    { action: 'credentials.change' },
  ])
})

test('attempts to change a password are limited', async () => {
  const hash = await app.app.passwords.hash('a long password')
  app.app.users.create({ username: 'mia', role: 'member', hash })
  const cookie = await signIn(app, { username: 'mia', password: 'a long password' })
  const statuses: number[] = []
  for (let n = 0; n < 12; n++)
    statuses.push((await change(cookie, { ...chosen, username: 'mia', currentPassword: `${n}` })).status)
  expect(statuses).toEqual([...Array(10).fill(400), 429, 429])
})

test('a password that an admin sets meanwhile is not overwritten', async () => {
  const { users, passwords } = app.app
  const old = 'a long password'
  const id = users.create({ username: 'nia', role: 'member', hash: await passwords.hash(old) })
  const cookie = await signIn(app, { username: 'nia', password: old })
  const byAdmin = await passwords.hash('by the admin')
  const hash = (password: string) => {
    users.change(id, { hash: byAdmin })
    return passwords.hash(password)
  }
  const server = createServer({ ...app.app, passwords: { ...passwords, hash } }, async () => true)
  const refused = await server.request(path, {
    method: 'POST',
    headers: { cookie, host: '127.0.0.1', origin: 'http://127.0.0.1', 'content-type': 'application/json' },
    body: JSON.stringify({ currentPassword: old, username: 'nia', password: 'a third password' }),
  })
  expect([refused.status, await refused.json()]).toMatchObject([400, { message: 'currentPassword is not your password.' }])
  expect(users.hashOf(id)).toBe(byAdmin)
})

test('a user name is unique regardless of case', async () => {
  const hash = await app.app.passwords.hash('a long password')
  app.app.users.create({ username: 'first', role: 'member', hash })
  app.app.users.create({ username: 'second', role: 'member', hash })
  const cookie = await signIn(app, { username: 'second', password: 'a long password' })
  const taken = { currentPassword: 'a long password', username: 'FIRST', password: 'another password' }
  expect(await (await change(cookie, taken)).json()).toMatchObject({
    message: 'The user name first is taken. Choose another one.',
  })
  expect((await asked(cookie)).status).toBe(200)
  await signIn(app, { username: 'second', password: 'a long password' })
})
