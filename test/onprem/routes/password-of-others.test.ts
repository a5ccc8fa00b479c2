import { afterAll, beforeAll, expect, test } from 'vitest'
import { cookiesOf, signIn } from '../../fixtures/sign-in.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'

let app: TestInstall
beforeAll(async () => {
  app = await testInstall()
})
afterAll(() => app.close())

const given = 'a password that an admin knows'
const chosen = 'a password of my own'

/** Creates a member over the API, as an admin does. Returns the id. */
const invite = async (username: string, role = 'member') =>
  String((await app.call('POST', '/api/users', { username, password: given, role })).body.id)
const asked = (cookie: string, path = '/api/keys') => app.ask(path, { headers: { cookie } })
const send = (cookie: string, method: string, path: string, body: object) =>
  app.ask(path, {
    method,
    headers: { cookie, origin: app.url, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
const userOf = async (cookie: string) =>
  ((await (await asked(cookie, '/api/auth/session/get-session')).json()) as { user: object }).user

test('a new member may only change the password that an admin set, and the error explains that', async () => {
  await invite('mia')
  const cookie = await signIn(app, { username: 'mia', password: given })
  expect(await userOf(cookie)).toMatchObject({ mustChangeCredentials: true, passwordSetByOther: true })
  const refused = await asked(cookie)
  expect([refused.status, await refused.json()]).toEqual([
    403,
    {
      error: 'forbidden',
      message:
        'Someone else set the password of this user. Choose a user name and a password first, with POST /api/account/credentials.',
    },
  ])
  const changed = await send(cookie, 'POST', '/api/account/credentials', { username: 'mia', password: chosen })
  expect([changed.status, await changed.json()]).toMatchObject([
    200,
    { user: { mustChangeCredentials: false, passwordSetByOther: false } },
  ])
  expect((await asked(cookiesOf(changed.headers.getSetCookie()))).status).toBe(200)
  expect((await asked(await signIn(app, { username: 'mia', password: chosen }))).status).toBe(200)
  expect(app.app.audit.list(1, 2).entries).toMatchObject([
    { actor: 'mia', action: 'credentials.change', subject: 'mia' },
    { actor: 'key admin', action: 'user.create', subject: 'mia' },
  ])
})

test('a sign-in over the API reports that the password must be changed', async () => {
  await invite('ida')
  const { status, body } = await app.json('/api/auth/session/sign-in/username', {
    method: 'POST',
    body: { username: 'ida', password: given },
  })
  expect([status, body]).toMatchObject([200, { user: { mustChangeCredentials: true, passwordSetByOther: true } }])
})

test('a password that an admin resets must be changed at the next sign-in, and keys of the user keep working', async () => {
  const id = await invite('leo')
  const first = await signIn(app, { username: 'leo', password: given })
  expect((await send(first, 'POST', '/api/account/credentials', { username: 'leo', password: chosen })).status).toBe(200)
  const { key } = app.app.keys.create({ name: 'agent', role: 'member', userId: id })
  await app.call('PATCH', `/api/users/${id}`, { password: given })
  const cookie = await signIn(app, { username: 'leo', password: given })
  expect((await asked(cookie)).status).toBe(403)
  expect((await app.ask('/api/keys', { key })).status).toBe(200)
  expect((await app.call('GET', '/api/users')).body).toMatchObject({
    users: expect.arrayContaining([expect.objectContaining({ username: 'leo', mustChangePassword: true })]),
  })
  expect((await send(cookie, 'POST', '/api/account/credentials', { username: 'leo', password: chosen })).status).toBe(200)
  expect(app.app.users.find(id)?.mustChangePassword).toBe(false)
})

test('a password that must be changed cannot be chosen again', async () => {
  await invite('eve')
  const cookie = await signIn(app, { username: 'eve', password: given })
  const refused = await send(cookie, 'POST', '/api/account/credentials', { username: 'eve', password: given })
  expect([refused.status, await refused.json()]).toMatchObject([
    400,
    { message: 'password must not be the one that others may know.' },
  ])
  expect((await asked(cookie)).status).toBe(403)
})

test('an admin who sets the own password as one of all users need not change it again', async () => {
  const id = await invite('ann', 'admin')
  const first = await signIn(app, { username: 'ann', password: given })
  const changed = await send(first, 'POST', '/api/account/credentials', { username: 'ann', password: chosen })
  const own = await send(cookiesOf(changed.headers.getSetCookie()), 'PATCH', `/api/users/${id}`, { password: `${chosen} two` })
  expect(own.status).toBe(200)
  expect((await asked(await signIn(app, { username: 'ann', password: `${chosen} two` }))).status).toBe(200)
})

test('changes of an admin without a password ask for none', async () => {
  const id = await invite('kim')
  const first = await signIn(app, { username: 'kim', password: given })
  await send(first, 'POST', '/api/account/credentials', { username: 'kim', password: chosen })
  await app.call('PATCH', `/api/users/${id}`, { role: 'admin' })
  await app.call('PATCH', `/api/users/${id}`, { username: 'kimberley' })
  expect((await asked(await signIn(app, { username: 'kimberley', password: chosen }))).status).toBe(200)
})
