import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { attemptsInMemory } from '../../../onprem/accounts/attempts.ts'
import { createServer } from '../../../onprem/server.ts'
import { PublicUrl } from '../../../shared/schemas/public-url.ts'
import { createUser } from '../../fixtures/create-user.ts'
import { addPasskey, browserOn, namedUrl, type Pair, passkeyOptions } from '../../fixtures/second-factor.ts'
import { cookiesOf, signIn } from '../../fixtures/sign-in.ts'
import { softAuthenticator } from '../../fixtures/soft-authenticator.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'

let app: TestInstall
let mia: Pair
let users = 0

beforeAll(async () => {
  app = await testInstall()
})
afterAll(() => app.close())
beforeEach(async () => {
  // Each test has the attempts of a new server.
  Object.assign(app.app.attempts, attemptsInMemory())
  app.app.settings.change({ 'accounts.requireSecondFactor': null })
  mia = { username: `mia-${++users}`, password: 'a long password' }
  await createUser(app, mia)
})

const wrong = { status: 401, body: { error: 'invalid_api_key', message: expect.stringMatching(/^This code or passkey is not/) } }
const idOf = ({ username }: Pair) => app.app.users.findByName(username)?.id ?? ''
const hasSession = async ({ send }: ReturnType<typeof browserOn>) => (await send('GET', '/api/keys')).status === 200
const lastEntry = () => app.app.audit.list(1, 1).entries.map(({ action, subject, outcome }) => [action, subject, outcome])[0]
const start = '/api/account/second-factor/passkeys/start'
const add = '/api/account/second-factor/passkeys'
const sessionOf = async (pair: Pair) => browserOn(app, await signIn(app, pair), namedUrl(app))

/** Signs in up to the second step. */
async function pending(pair = mia, url = namedUrl(app)) {
  const browser = browserOn(app, '', url)
  expect((await browser.signIn(pair)).status).toBe(202)
  return browser
}

test('a sign-in with a passkey gives no session before its signature', async () => {
  const { authenticator, recoveryCodes } = await addPasskey(app, mia)
  expect(recoveryCodes).toHaveLength(10)
  expect(lastEntry()).toEqual(['secondFactor.add', `${mia.username} (passkey Laptop)`, 'allowed'])
  const browser = browserOn(app, '', namedUrl(app))
  expect(await browser.signIn(mia)).toEqual({ status: 202, body: { secondStep: ['passkey', 'recoveryCode'] } })
  const options = await passkeyOptions(browser)
  expect(options).toMatchObject({
    rpId: 'localhost',
    allowCredentials: [{ id: authenticator.id }],
    userVerification: 'preferred',
  })
  expect(await hasSession(browser)).toBe(false)
  expect((await browser.secondStep({ passkey: authenticator.get(options) })).status).toBe(200)
  expect(await hasSession(browser)).toBe(true)
  expect(lastEntry()).toEqual(['session.begin', `${mia.username} (passkey Laptop)`, 'allowed'])
  expect((await browser.send('GET', '/api/account/second-factor')).body).toMatchObject({
    passkeys: [{ name: 'Laptop', host: 'localhost', lastUsedAt: expect.stringMatching(/Z$/) }],
  })
})

test('a signature counts once, and only for the newest challenge of its sign-in', async () => {
  const { authenticator } = await addPasskey(app, mia)
  const browser = await pending()
  const older = await passkeyOptions(browser)
  const options = await passkeyOptions(browser)
  expect(await browser.secondStep({ passkey: authenticator.get(older) })).toEqual(wrong)
  expect(await browser.secondStep({ passkey: authenticator.get(options) })).toEqual(wrong)
  const passkey = authenticator.get(await passkeyOptions(browser))
  expect((await browser.secondStep({ passkey })).status).toBe(200)
  const next = await pending()
  await passkeyOptions(next)
  expect(await next.secondStep({ passkey })).toEqual(wrong)
})

test('a signature for the challenge of another sign-in or of a new passkey is wrong', async () => {
  const { authenticator, cookie } = await addPasskey(app, mia)
  const [first, second] = [await pending(), await pending()]
  const options = await passkeyOptions(first)
  await passkeyOptions(second)
  expect(await second.secondStep({ passkey: authenticator.get(options) })).toEqual(wrong)
  const { body } = await browserOn(app, cookie, namedUrl(app)).send('POST', start, {})
  expect(await first.secondStep({ passkey: authenticator.get(body.options as object as Record<string, unknown>) })).toEqual(wrong)
})

test('the passkey of another user is wrong', async () => {
  const leo = { ...mia, username: `leo-${users}` }
  await createUser(app, leo)
  await addPasskey(app, mia)
  const others = await addPasskey(app, leo)
  const browser = await pending()
  expect(await browser.secondStep({ passkey: others.authenticator.get(await passkeyOptions(browser)) })).toEqual(wrong)
  expect(lastEntry()).toEqual(['session.begin', `${mia.username} (second step)`, 'refused'])
})

test.each([
  ['for another origin', { origin: 'https://evil.example.com' }],
  ['for another port', { origin: 'http://localhost:1' }],
  ['for another host', { host: 'evil.example.com' }],
  ['with a challenge of its own', { challenge: 'AAAAAAAAAAAAAAAAAAAAAA' }],
  ['with a counter that has not grown', { counter: 1 }],
  ['with the counter of a cloned authenticator', { counter: 0 }],
])('a signature %s is wrong', async (_, faults) => {
  const { authenticator } = await addPasskey(app, mia)
  const first = await pending()
  expect((await first.secondStep({ passkey: authenticator.get(await passkeyOptions(first)) })).status).toBe(200)
  const browser = await pending()
  expect(await browser.secondStep({ passkey: authenticator.get(await passkeyOptions(browser), faults) })).toEqual(wrong)
  expect(await hasSession(browser)).toBe(false)
})

test('an authenticator without a counter can sign in again and again', async () => {
  const { authenticator } = await addPasskey(app, mia)
  for (let round = 0; round < 2; round++) {
    const browser = await pending()
    const passkey = authenticator.get(await passkeyOptions(browser), { counter: 0 })
    expect((await browser.secondStep({ passkey })).status).toBe(200)
  }
})

test('a passkey that is removed is wrong, also for a sign-in that had begun', async () => {
  const { authenticator, cookie } = await addPasskey(app, mia)
  const second = await addPasskey(app, mia, 'Phone')
  const browser = await pending()
  const passkey = authenticator.get(await passkeyOptions(browser))
  const own = browserOn(app, await signIn(app, mia), namedUrl(app))
  expect(await hasSession(browserOn(app, cookie))).toBe(false)
  expect((await own.send('DELETE', `${add}/${authenticator.id}`)).status).toBe(200)
  expect(lastEntry()).toEqual(['secondFactor.remove', `${mia.username} (passkey Laptop)`, 'allowed'])
  expect(await browser.secondStep({ passkey })).toEqual(wrong)
  expect((await own.send('DELETE', `${add}/${authenticator.id}`)).status).toBe(404)
  expect((await browser.secondStep({ passkey: second.authenticator.get(await passkeyOptions(browser)) })).status).toBe(200)
})

test('a passkey is for the host name under which it was added', async () => {
  const { authenticator } = await addPasskey(app, mia)
  const browser = browserOn(app)
  expect(await browser.signIn(mia)).toEqual({ status: 202, body: { secondStep: ['recoveryCode'] } })
  expect(await browser.secondStep({ passkey: authenticator.get(await passkeyOptions(browser)) })).toEqual(wrong)
  const own = browserOn(app, await signIn(app, mia))
  expect(await own.send('POST', start, {})).toMatchObject({
    status: 400,
    body: { message: 'A passkey is for a host name. Open this server under its name instead of its IP address.' },
  })
})

test('PUBLIC_URL names the host and the origin of passkeys', async () => {
  const url = PublicUrl.parse('https://carrel.example.com/docs')
  const server = createServer({ ...app.app, publicUrl: url }, async () => true)
  const cookie = cookiesOf(
    (await app.app.accounts.beginSession({ userId: idOf(mia) }, { headers: new Headers(), secure: true })).cookies,
  )
  const send = async (path: string, body: object) => {
    const answer = await server.request(`https://carrel.example.com/docs${path}`, {
      method: 'POST',
      headers: { host: 'carrel.example.com', origin: 'https://carrel.example.com', cookie, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
  }
  const started = await send(start, {})
  const options = started.body.options as Record<string, unknown>
  expect(options).toMatchObject({ rp: { id: 'carrel.example.com', name: 'Carrel' } })
  const local = softAuthenticator(namedUrl(app))
  expect((await send(add, { name: 'Local', credential: local.create(options) })).status).toBe(400)
  const again = (await send(start, {})).body.options as Record<string, unknown>
  const authenticator = softAuthenticator('https://carrel.example.com')
  expect((await send(add, { name: 'Laptop', credential: authenticator.create(again) })).status).toBe(200)
})

test.each([
  ['of another origin', { origin: 'https://evil.example.com' }],
  ['of another host', { host: 'evil.example.com' }],
  ['for another challenge', { challenge: 'AAAAAAAAAAAAAAAAAAAAAA' }],
])('a new passkey %s is rejected', async (_, faults) => {
  const browser = await sessionOf(mia)
  const { options } = (await browser.send('POST', start, {})).body as { options: Record<string, unknown> }
  const authenticator = softAuthenticator(namedUrl(app))
  const credential = authenticator.create(options, faults)
  expect(await browser.send('POST', add, { name: 'Laptop', credential })).toMatchObject({
    status: 400,
    body: { message: 'This is not a new passkey for this address, or it took more than ten minutes. Begin again.' },
  })
  const right = { name: 'Laptop', credential: authenticator.create(options) }
  expect((await browser.send('POST', add, right)).status).toBe(400)
  expect(app.app.users.findByName(mia.username)?.hasSecondFactor).toBe(false)
})

test('a passkey is added once, also by another user', async () => {
  const { authenticator, cookie } = await addPasskey(app, mia)
  const leo = { ...mia, username: `leo-${users}` }
  await createUser(app, leo)
  for (const browser of [browserOn(app, cookie, namedUrl(app)), await sessionOf(leo)]) {
    const { options } = (await browser.send('POST', start, {})).body as { options: Record<string, unknown> }
    expect(await browser.send('POST', add, { name: 'Again', credential: authenticator.create(options) })).toMatchObject({
      status: 400,
      body: { message: 'This passkey was added before.' },
    })
  }
})

test('only the last passkey of a user stays while a second factor is required', async () => {
  app.app.settings.change({ 'accounts.requireSecondFactor': true })
  const first = await addPasskey(app, mia)
  const second = await addPasskey(app, mia, 'Phone')
  expect(second.recoveryCodes).toEqual([])
  const browser = browserOn(app, second.cookie, namedUrl(app))
  expect((await browser.send('DELETE', `${add}/${first.authenticator.id}`)).status).toBe(200)
  expect((await browser.send('DELETE', `${add}/${second.authenticator.id}`)).status).toBe(403)
  expect(app.app.users.findByName(mia.username)?.hasSecondFactor).toBe(true)
})

test('a user has at most 20 passkeys', async () => {
  const browser = await sessionOf(mia)
  const key = { name: 'x', host: 'localhost', publicKey: '', counter: 0, transports: [] }
  for (let number = 0; number < 20; number++) app.app.passkeys.add(idOf(mia), `${mia.username} ${number}`, key)
  expect((await browser.send('POST', start, {})).status).toBe(403)
})

test.each([
  ['an assertion without a signature', { passkey: { id: 'x', rawId: 'x', type: 'public-key', response: {} } }, 400],
  ['an assertion of no passkey', { passkey: assertion('x') }, 401],
  ['an assertion of bytes that are none', { passkey: assertion('\u0000') }, 401],
  ['an assertion above 16 KB', { passkey: assertion('x'.repeat(20_000)) }, 413],
])('%s is rejected', async (_, body, status) => {
  await addPasskey(app, mia)
  const browser = await pending()
  await passkeyOptions(browser)
  expect((await browser.secondStep(body)).status).toBe(status)
})

function assertion(text: string) {
  return {
    id: text,
    rawId: text,
    type: 'public-key',
    response: { clientDataJSON: text, authenticatorData: text, signature: text },
  }
}

test('options for a passkey need a pending sign-in', async () => {
  await addPasskey(app, mia)
  const { status, body } = await browserOn(app, '', namedUrl(app)).send('POST', '/api/auth/session/sign-in/passkey', {})
  expect([status, body.error]).toEqual([400, 'validation_error'])
})

test('a passkey is changed in a recent session only', async () => {
  const { authenticator } = await addPasskey(app, mia)
  const { key } = app.app.keys.create({ name: 'agent', role: 'admin', userId: idOf(mia) })
  for (const [method, path, body] of [
    ['POST', start, {}],
    ['POST', add, { name: 'x', credential: authenticator.create({ challenge: 'x' }) }],
    ['DELETE', `${add}/${authenticator.id}`, undefined],
  ] as const)
    expect((await app.json(path, { method, key, ...(body && { body }) })).status).toBe(403)
})
