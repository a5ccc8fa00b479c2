import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { attemptsInMemory } from '../../../onprem/accounts/attempts.ts'
import { createUser } from '../../fixtures/create-user.ts'
import { addApp, browserOn, type Pair } from '../../fixtures/second-factor.ts'
import { signIn } from '../../fixtures/sign-in.ts'
import { addIssuer } from '../../fixtures/single-sign-on.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'
import { codeAt } from '../../fixtures/totp.ts'

/** In the middle of a time step, a little ahead of the sessions, which begin by the real clock. */
const start = Math.ceil(Date.now() / 30_000) * 30_000 + 15_000
let clock = start
let app: TestInstall
let mia: Pair
let users = 0

beforeAll(async () => {
  app = await testInstall({ now: () => new Date(clock) })
})
afterAll(() => app.close())
beforeEach(async () => {
  clock = start
  // Each test has the attempts of a new server.
  Object.assign(
    app.app.attempts,
    attemptsInMemory(() => clock),
  )
  app.app.settings.change({ 'accounts.requireSecondFactor': null })
  mia = { username: `mia-${++users}`, password: 'a long password' }
  await createUser(app, mia)
})

const at = (seconds: number) => new Date(clock + seconds * 1000)
const wrong = {
  status: 401,
  body: {
    error: 'invalid_api_key',
    message: 'This code or passkey is not accepted. Each code counts once: wait for the next one.',
  },
}
const ended = {
  status: 400,
  body: {
    error: 'validation_error',
    fields: [],
    message: 'This sign-in has ended, or was begun in another browser. Type the password again.',
  },
}
const hasSession = async ({ send }: ReturnType<typeof browserOn>) => (await send('GET', '/api/keys')).status === 200
const sessionsOf = ({ username }: Pair) => app.app.users.sessions(app.app.users.findByName(username)?.id ?? '')
const lastEntries = (count: number) =>
  app.app.audit.list(1, count).entries.map(({ action, subject, outcome }) => [action, subject, outcome])

/** Signs in up to the second step. */
async function pending(pair = mia) {
  const browser = browserOn(app)
  const answer = await browser.signIn(pair)
  expect(answer).toEqual({ status: 202, body: { secondStep: expect.any(Array) } })
  return browser
}

test('a sign-in with an authenticator app gives no session before its code', async () => {
  const { secret } = await addApp(app, mia)
  clock += 30_000
  const browser = browserOn(app)
  const before = sessionsOf(mia).length
  expect(await browser.signIn(mia)).toEqual({ status: 202, body: { secondStep: ['code', 'recoveryCode'] } })
  expect([...browser.jar.keys()]).toEqual(['carrel.second-step'])
  expect(await hasSession(browser)).toBe(false)
  expect(sessionsOf(mia)).toHaveLength(before)
  expect(await browser.secondStep({ code: codeAt(secret, at(0)) })).toMatchObject({
    status: 200,
    body: { user: { username: mia.username } },
  })
  expect([...browser.jar.keys()]).toEqual(['carrel.session_token'])
  expect(await hasSession(browser)).toBe(true)
  expect(lastEntries(1)).toEqual([['session.begin', `${mia.username} (authenticator app)`, 'allowed']])
})

test('the cookie of a pending sign-in is HttpOnly, SameSite and short-lived', async () => {
  await addApp(app, mia)
  const answer = await app.ask('/api/auth/session/sign-in/username', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(mia),
  })
  expect(answer.headers.getSetCookie()).toEqual([
    expect.stringMatching(/^carrel\.second-step=[\w-]{43}; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/),
  ])
})

test('a code counts once, also for concurrent requests and the session that added the app', async () => {
  const { secret } = await addApp(app, mia)
  expect(await (await pending()).secondStep({ code: codeAt(secret, at(0)) })).toEqual(wrong)
  clock += 30_000
  const browsers = await Promise.all([pending(), pending(), pending()])
  const code = codeAt(secret, at(0))
  const answers = await Promise.all(browsers.map((browser) => browser.secondStep({ code })))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401])
  expect(await (await pending()).secondStep({ code })).toEqual(wrong)
  expect(sessionsOf(mia)).toHaveLength(2)
})

test.each([
  [-2, 401],
  [-1, 200],
  [0, 200],
  [1, 200],
  [2, 401],
])('a code of %d time steps from now gets %d', async (steps, status) => {
  const { secret } = await addApp(app, mia)
  clock += 10 * 30_000
  expect((await (await pending()).secondStep({ code: codeAt(secret, at(steps * 30)) })).status).toBe(status)
})

test('an older code does not count after a newer one', async () => {
  const { secret } = await addApp(app, mia)
  clock += 10 * 30_000
  expect((await (await pending()).secondStep({ code: codeAt(secret, at(30)) })).status).toBe(200)
  expect(await (await pending()).secondStep({ code: codeAt(secret, at(0)) })).toEqual(wrong)
})

test('a code may be typed with a space', async () => {
  const { secret } = await addApp(app, mia)
  clock += 30_000
  const code = codeAt(secret, at(0))
  expect((await (await pending()).secondStep({ code: `${code.slice(0, 3)} ${code.slice(3)} ` })).status).toBe(200)
})

test('a code and a recovery code of another user are wrong', async () => {
  const leo = { ...mia, username: `leo-${users}` }
  await createUser(app, leo)
  await addApp(app, mia)
  const others = await addApp(app, leo)
  clock += 30_000
  const browser = await pending()
  expect(await browser.secondStep({ code: codeAt(others.secret, at(0)) })).toEqual(wrong)
  expect(await browser.secondStep({ recoveryCode: others.recoveryCodes[0] })).toEqual(wrong)
  expect(lastEntries(1)).toEqual([['session.begin', `${mia.username} (second step)`, 'refused']])
})

test('a recovery code counts once, also for concurrent requests', async () => {
  const { recoveryCodes } = await addApp(app, mia)
  expect(recoveryCodes).toHaveLength(10)
  const recoveryCode = String(recoveryCodes[3]).toLowerCase().replaceAll('-', ' ')
  const browsers = await Promise.all([pending(), pending()])
  const answers = await Promise.all(browsers.map((browser) => browser.secondStep({ recoveryCode })))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 401])
  expect(await (await pending()).secondStep({ recoveryCode })).toEqual(wrong)
  const [used] = browsers.filter((_, i) => answers[i]?.status === 200)
  expect((await used?.send('GET', '/api/account/second-factor'))?.body).toMatchObject({ recoveryCodes: 9 })
})

test('new recovery codes make the old ones void', async () => {
  const { recoveryCodes, cookie } = await addApp(app, mia)
  const renewed = await browserOn(app, cookie).send('POST', '/api/account/second-factor/recovery-codes')
  expect(renewed).toEqual({ status: 200, body: { recoveryCodes: expect.any(Array) } })
  const [first] = renewed.body.recoveryCodes as string[]
  expect(await (await pending()).secondStep({ recoveryCode: recoveryCodes[0] })).toEqual(wrong)
  expect((await (await pending()).secondStep({ recoveryCode: first })).status).toBe(200)
})

test('a pending sign-in counts in its browser, and once', async () => {
  const { secret, recoveryCodes } = await addApp(app, mia)
  clock += 30_000
  await pending()
  expect(await browserOn(app).secondStep({ code: codeAt(secret, at(0)) })).toEqual(ended)
  const browser = await pending()
  const token = String(browser.jar.get('carrel.second-step'))
  expect((await browser.secondStep({ recoveryCode: recoveryCodes[0] })).status).toBe(200)
  browser.jar.set('carrel.second-step', token)
  expect(await browser.secondStep({ recoveryCode: recoveryCodes[1] })).toEqual(ended)
})

test.each<[string, (id: string) => unknown]>([
  ['the password changed', (id) => app.call('PATCH', `/api/users/${id}`, { password: 'another long password' })],
  ['the user was disabled', (id) => app.call('PATCH', `/api/users/${id}`, { disabled: true })],
  ['the user was deleted', (id) => app.call('DELETE', `/api/users/${id}`)],
  ['the second factor was removed', (id) => app.call('DELETE', `/api/users/${id}/second-factor`)],
])('a pending sign-in ends when %s', async (_, change) => {
  const { secret, recoveryCodes } = await addApp(app, mia)
  clock += 30_000
  const browser = await pending()
  await change(app.app.users.findByName(mia.username)?.id ?? '')
  expect(await browser.secondStep({ code: codeAt(secret, at(0)) })).toEqual(ended)
  expect(await browser.secondStep({ recoveryCode: recoveryCodes[0] })).toEqual(ended)
})

test('a thousand guesses from many addresses reach thirty comparisons a day, and a recovery code still works', async () => {
  const { secret, recoveryCodes } = await addApp(app, mia)
  clock += 30_000
  const browser = await pending()
  const { take, giveBack } = app.app.attempts
  // Each request has another address.
  Object.assign(app.app.attempts, {
    take: (key: string, rule: Parameters<typeof take>[1]) => key.startsWith('second step from') || take(key, rule),
    giveBack,
  })
  const statuses: Record<number, number> = {}
  for (let guess = 0; guess < 1_000; guess++) {
    clock += 60_000
    if (guess % 9 === 8) await browser.signIn(mia)
    const { status } = await browser.secondStep({ code: '000000' })
    statuses[status] = (statuses[status] ?? 0) + 1
  }
  expect(statuses[401]).toBeLessThanOrEqual(30)
  const { status, body } = await browser.secondStep({ code: codeAt(secret, at(0)) })
  expect([status, body.error]).toEqual([429, 'rate_limit_exceeded'])
  expect((await browser.secondStep({ recoveryCode: recoveryCodes[0] })).status).toBe(200)
}, 60_000)

test('second steps from one address are limited', async () => {
  await addApp(app, mia)
  const browser = await pending()
  const statuses = []
  for (let guess = 0; guess < 11; guess++) statuses.push((await browser.secondStep({ recoveryCode: 'AAAA' })).status)
  expect(statuses).toEqual([...Array.from({ length: 10 }, () => 401), 429])
})

test.each([
  ['a body above 16 KB', JSON.stringify({ code: '1'.repeat(20_000) }), 413],
  ['a code of 21 characters', { code: '1'.repeat(21) }, 400],
  ['two fields', { code: '123456', recoveryCode: 'A' }, 400],
  ['no field', {}, 400],
  ['another field', { password: 'x' }, 400],
  ['a number', { code: 123_456 }, 400],
  ['a code of other digits', { code: '١٢٣٤٥٦' }, 401],
  ['a code with a sign', { code: '-12345' }, 401],
  ['an empty code', { code: '' }, 401],
  ['an empty recovery code', { recoveryCode: '---' }, 401],
])('%s is rejected', async (_, body, status) => {
  await addApp(app, mia)
  const browser = await pending()
  expect((await browser.secondStep(body)).status).toBe(status)
  expect(await hasSession(browser)).toBe(false)
})

test('a foreign page cannot finish a sign-in', async () => {
  const { secret } = await addApp(app, mia)
  clock += 30_000
  const { jar } = await pending()
  const answer = await app.ask('/api/auth/session/sign-in/second-step', {
    method: 'POST',
    headers: {
      origin: 'https://evil.example.com',
      'content-type': 'application/json',
      cookie: `carrel.second-step=${jar.get('carrel.second-step')}`,
    },
    body: JSON.stringify({ code: codeAt(secret, at(0)) }),
  })
  expect(answer.status).toBe(403)
})

test('adding an app needs its code, ends other sessions and is recorded', async () => {
  const other = browserOn(app, await signIn(app, mia))
  const browser = browserOn(app, await signIn(app, mia))
  const started = await browser.send('POST', '/api/account/second-factor/app/start', {})
  const { secret, address } = started.body as { secret: string; address: string }
  expect(secret).toMatch(/^[A-Z2-7]{32}$/)
  expect(address).toBe(
    `otpauth://totp/Carrel%20127.0.0.1:${mia.username}?issuer=Carrel%20127.0.0.1&secret=${secret}&algorithm=SHA1&digits=6&period=30`,
  )
  expect(await browser.send('POST', '/api/account/second-factor/app', { code: '000000' })).toMatchObject({ status: 400 })
  expect((await browser.send('GET', '/api/account/second-factor')).body).toMatchObject({ app: null, recoveryCodes: 0 })
  expect(await hasSession(other)).toBe(true)
  expect((await browser.send('POST', '/api/account/second-factor/app', { code: codeAt(secret, at(0)) })).status).toBe(200)
  expect((await browser.send('GET', '/api/account/second-factor')).body).toEqual({
    required: false,
    confirmed: true,
    app: { createdAt: at(0).toISOString(), lastUsedAt: null },
    passkeys: [],
    recoveryCodes: 10,
  })
  expect([await hasSession(browser), await hasSession(other)]).toEqual([true, false])
  expect(lastEntries(1)).toEqual([['secondFactor.add', `${mia.username} (authenticator app)`, 'allowed']])
})

test('changes need a recent sign-in or the password, and a session', async () => {
  const { cookie } = await addApp(app, mia)
  const browser = browserOn(app, cookie)
  const changes = [
    ['POST', '/api/account/second-factor/app/start', {}],
    ['POST', '/api/account/second-factor/app', { code: '123456' }],
    ['POST', '/api/account/second-factor/recovery-codes', undefined],
    ['DELETE', '/api/account/second-factor/app', undefined],
  ] as const
  clock += 11 * 60_000
  for (const [method, path, body] of changes) expect((await browser.send(method, path, body)).status).toBe(403)
  expect((await browser.send('GET', '/api/account/second-factor')).body).toMatchObject({ confirmed: false })
  expect((await browser.send('POST', '/api/account/second-factor/confirm', { password: 'wrong' })).body).toMatchObject({
    message: 'password is not your password.',
  })
  expect((await browser.send('DELETE', '/api/account/second-factor/app')).status).toBe(403)
  expect((await browser.send('POST', '/api/account/second-factor/confirm', mia)).status).toBe(400)
  const { password } = mia
  expect((await browser.send('POST', '/api/account/second-factor/confirm', { password })).status).toBe(200)
  const id = app.app.users.findByName(mia.username)?.id ?? ''
  const { key } = app.app.keys.create({ name: 'agent', role: 'admin', userId: id })
  for (const [method, path, body] of changes)
    expect((await app.json(path, { method, key, ...(body && { body }) })).status).toBe(403)
  expect((await app.json('/api/account/second-factor/confirm', { method: 'POST', key, body: { password } })).status).toBe(403)
  expect((await browser.send('DELETE', '/api/account/second-factor/app')).status).toBe(200)
})

test('removing the last factor deletes the recovery codes, and a sign-in needs the password only', async () => {
  const { cookie } = await addApp(app, mia)
  const browser = browserOn(app, cookie)
  expect((await browser.send('DELETE', '/api/account/second-factor/app')).status).toBe(200)
  expect((await browser.send('GET', '/api/account/second-factor')).body).toMatchObject({ app: null, recoveryCodes: 0 })
  expect(lastEntries(1)).toEqual([['secondFactor.remove', `${mia.username} (authenticator app)`, 'allowed']])
  const next = browserOn(app)
  expect((await next.signIn(mia)).status).toBe(200)
  expect(await hasSession(next)).toBe(true)
})

test('another app replaces the first and keeps the recovery codes', async () => {
  const first = await addApp(app, mia)
  clock += 30_000
  const browser = browserOn(app, first.cookie)
  const { secret } = (await browser.send('POST', '/api/account/second-factor/app/start', {})).body as { secret: string }
  const added = await browser.send('POST', '/api/account/second-factor/app', { code: codeAt(secret, at(0)) })
  expect(added).toMatchObject({ status: 200, body: { recoveryCodes: [] } })
  clock += 30_000
  expect(await (await pending()).secondStep({ code: codeAt(first.secret, at(0)) })).toEqual(wrong)
  expect((await (await pending()).secondStep({ code: codeAt(secret, at(0)) })).status).toBe(200)
})

test('a user without a second factor may only add one while it is required', async () => {
  const id = app.app.users.findByName(mia.username)?.id ?? ''
  const { key } = app.app.keys.create({ name: 'agent', role: 'member', userId: id })
  app.app.settings.change({ 'accounts.requireSecondFactor': true })
  const browser = browserOn(app)
  expect(await browser.signIn(mia)).toMatchObject({ status: 200, body: { user: { mustAddSecondFactor: true } } })
  expect(await browser.send('GET', '/api/keys')).toEqual({
    status: 403,
    body: {
      error: 'forbidden',
      message: 'This install requires a second factor. Sign in in a browser and add an authenticator app or a passkey first.',
    },
  })
  expect(
    (await app.ask('/metrics', { headers: { cookie: `carrel.session_token=${browser.jar.get('carrel.session_token')}` } }))
      .status,
  ).toBe(403)
  expect((await app.ask('/api/keys', { key })).status).toBe(200)
  const { secret } = (await browser.send('POST', '/api/account/second-factor/app/start', {})).body as { secret: string }
  expect((await browser.send('POST', '/api/account/second-factor/app', { code: codeAt(secret, at(0)) })).status).toBe(200)
  expect(await hasSession(browser)).toBe(true)
  expect(await browser.send('DELETE', '/api/account/second-factor/app')).toMatchObject({
    status: 403,
    body: { message: 'This install requires a second factor. Add another one before you remove the last.' },
  })
  expect((await browser.send('GET', '/api/account/second-factor')).body).toMatchObject({
    required: true,
    app: { lastUsedAt: null },
    recoveryCodes: 10,
  })
})

test('people who sign in at an issuer are not asked for a second factor, and cannot add one', async () => {
  app.app.settings.change({ 'accounts.requireSecondFactor': true })
  addIssuer(app, { name: 'corp', issuer: 'https://id.example.com', clientId: 'carrel' }, 'secret')
  const userId = app.app.users.createForIssuer({ username: 'ida', role: 'member', issuer: 'https://id.example.com', sub: '1' })
  const { cookies } = await app.app.accounts.beginSession({ userId }, { headers: new Headers(), secure: false })
  const browser = browserOn(app, String(cookies[0]).split(';')[0])
  expect(await hasSession(browser)).toBe(true)
  expect(await browser.send('POST', '/api/account/second-factor/app/start', {})).toMatchObject({
    status: 403,
    body: { message: 'You sign in at an issuer, which decides about a second factor.' },
  })
})

test('new credentials keep the second factor, and only the session that changes them', async () => {
  const { secret, cookie } = await addApp(app, mia)
  clock += 30_000
  const browser = browserOn(app, cookie)
  const password = 'another long password'
  const change = { currentPassword: mia.password, username: mia.username, password }
  expect((await browser.send('POST', '/api/account/credentials', change)).status).toBe(200)
  expect(await hasSession(browser)).toBe(true)
  const next = await pending({ ...mia, password })
  expect(await hasSession(next)).toBe(false)
  expect((await next.secondStep({ code: codeAt(secret, at(0)) })).status).toBe(200)
})

test('new credentials with a key give no session', async () => {
  await addApp(app, mia)
  const id = app.app.users.findByName(mia.username)?.id ?? ''
  const { key } = app.app.keys.create({ name: 'agent', role: 'member', userId: id })
  const answer = await app.ask('/api/account/credentials', {
    method: 'POST',
    key,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ currentPassword: mia.password, username: mia.username, password: 'another long password' }),
  })
  expect([answer.status, answer.headers.getSetCookie()]).toEqual([200, []])
  expect(sessionsOf(mia)).toEqual([])
})

test('an admin removes a lost second factor, which ends all sessions', async () => {
  const { cookie } = await addApp(app, mia)
  const id = app.app.users.findByName(mia.username)?.id ?? ''
  const listed = async () =>
    ((await app.call('GET', '/api/users')).body.users as { id: string; secondFactor: boolean }[]).find((user) => user.id === id)
  expect(await listed()).toMatchObject({ secondFactor: true })
  expect((await app.call('DELETE', `/api/users/${id}/second-factor`)).body).toEqual({
    message: `${mia.username} has no second factor now, and is signed out everywhere.`,
  })
  expect(lastEntries(1)).toEqual([['user.removeSecondFactor', mia.username, 'allowed']])
  expect(await listed()).toMatchObject({ secondFactor: false })
  expect(await hasSession(browserOn(app, cookie))).toBe(false)
  expect((await browserOn(app).signIn(mia)).status).toBe(200)
  expect((await app.call('DELETE', `/api/users/${id}/second-factor`)).status).toBe(404)
})

test('neither secrets nor codes are stored in plain text, logged, audited or in the support bundle', async () => {
  const { secret, recoveryCodes } = await addApp(app, mia)
  clock += 30_000
  const code = codeAt(secret, at(0))
  await (await pending()).secondStep({ code })
  await (await pending()).secondStep({ recoveryCode: recoveryCodes[0] })
  await (await pending()).secondStep({ recoveryCode: 'WRNG-WRNG-WRNG-WRNG' })
  const bundle = Buffer.from(await (await app.ask('/api/support-bundle', { key: app.keys.admin })).arrayBuffer())
  const places = {
    database: readFileSync(join(app.dataDir, 'carrel.db'), 'latin1') + readFileSync(join(app.dataDir, 'carrel.db-wal'), 'latin1'),
    log: JSON.stringify(app.log.lines),
    audit: JSON.stringify(app.app.audit.list(1, 1_000)),
    bundle: bundle.toString('latin1'),
  }
  for (const [place, text] of Object.entries(places))
    for (const each of [secret, recoveryCodes[0], recoveryCodes[1], 'WRNG-WRNG'])
      expect(text.includes(String(each)), `${place} has ${each}`).toBe(false)
})

test('an install that lacks the key of its secrets still accepts recovery codes', async () => {
  const { secret, recoveryCodes } = await addApp(app, mia)
  clock += 30_000
  const { factors } = app.app
  const browser = await pending()
  const { readFileSync: read, writeFileSync: write, rmSync: remove } = await import('node:fs')
  const path = join(app.dataDir, 'secrets.key')
  const key = read(path)
  remove(path)
  try {
    const answer = await browser.secondStep({ code: codeAt(secret, at(0)) })
    expect(answer).toMatchObject({ body: { error: 'data_damaged' } })
    expect(JSON.stringify(answer.body)).not.toContain(app.dataDir)
    expect((await browser.secondStep({ recoveryCode: recoveryCodes[0] })).status).toBe(200)
  } finally {
    write(path, key, { mode: 0o600 })
  }
  expect(factors.appSecret(app.app.users.findByName(mia.username)?.id ?? '')).toMatchObject({ secret })
})

test('the key of an admin neither sets the password of that admin nor resets their second factor, another admin does', async () => {
  const admin = { username: `owner-${++users}`, password: 'a long password' }
  const id = await createUser(app, { ...admin, role: 'admin' })
  await addApp(app, admin)
  const { key } = app.app.keys.create({ name: 'own', role: 'admin', userId: id })
  const ask = (by: string, method: string, path: string, body?: object) =>
    app.json(`/api/users/${id}${path}`, { method, key: by, body })
  expect((await ask(key, 'PATCH', '', { password: 'another long password' })).status).toBe(403)
  expect((await ask(key, 'DELETE', '/second-factor')).status).toBe(403)
  expect(app.app.users.find(id)?.hasSecondFactor).toBe(true)
  expect((await ask(app.keys.admin, 'DELETE', '/second-factor')).status).toBe(200)
})

test('a right password that needs a second step is recorded', async () => {
  await addApp(app, mia)
  await pending()
  expect(lastEntries(1)).toEqual([['session.password', mia.username, 'allowed']])
})
