import { describe, expect, onTestFinished, test } from 'vitest'
import { createUser } from '../../fixtures/create-user.ts'
import { type Forgery, startForgingIssuer } from '../../fixtures/forging-issuer.ts'
import { signIn } from '../../fixtures/sign-in.ts'
import { addIssuer, beginAt, finishAt } from '../../fixtures/single-sign-on.ts'
import { type InstallOptions, type TestInstall, testInstall } from '../../fixtures/test-install.ts'

const ready = { claims: { preferred_username: 'Ann.Lee' } }

async function installWith(entry: Record<string, unknown> = {}, options: InstallOptions = {}) {
  const forging = await startForgingIssuer({ end_session_endpoint: 'http://127.0.0.1:9/end' })
  const install = await testInstall(options)
  onTestFinished(install.close)
  addIssuer(install, { name: 'corp', issuer: forging.issuer, clientId: forging.clientId, ...entry }, forging.clientSecret)

  async function signInAs(forgery: Forgery, change: Record<string, string> = {}) {
    const { address, cookie } = await beginAt(install, 'corp')
    const { state = '', nonce = '' } = Object.fromEntries(address.searchParams)
    forging.forge(forgery, nonce)
    return finishAt(install, 'corp', { code: 'code', state, iss: forging.issuer, ...change }, cookie)
  }
  return { install, forging, signInAs }
}

const sessionOf = async ({ ask }: Pick<TestInstall, 'ask'>, cookie = '') =>
  (await (await ask('/api/auth/session/get-session', { headers: { cookie } })).json()) as {
    user: { id: string; username: string; role: string }
  } | null

test('somebody who signs in at the issuer gets a user and a session, and returns to the page', async () => {
  const { install, signInAs } = await installWith()
  const { response, cookie } = await signInAs(ready)
  expect(response.status).toBe(302)
  expect(response.headers.get('location')).toBe('/libraries')
  expect((await sessionOf(install, cookie))?.user).toMatchObject({ username: 'ann.lee', role: 'member' })
})

test('the second sign-in is that of the same user, also under another name', async () => {
  const { install, signInAs } = await installWith()
  const first = await sessionOf(install, (await signInAs(ready)).cookie)
  const second = await sessionOf(install, (await signInAs({ claims: { preferred_username: 'ann.bell' } })).cookie)
  expect(second?.user.id).toBe(first?.user.id)
  expect(second?.user.username).toBe('ann.lee')
})

test('a person never becomes the local user of the same name', async () => {
  const { install, signInAs } = await installWith()
  const { cookie } = await signInAs({ claims: { preferred_username: 'admin', email: 'admin', email_verified: false } })
  expect((await sessionOf(install, cookie))?.user).toMatchObject({ username: 'admin-2', role: 'member' })
})

test('two issuers with the same subject have two users', async () => {
  const { install, signInAs } = await installWith()
  const first = await sessionOf(install, (await signInAs(ready)).cookie)
  const other = await startForgingIssuer()
  addIssuer(install, { name: 'other', issuer: other.issuer, clientId: other.clientId }, other.clientSecret)
  const { address, cookie } = await beginAt(install, 'other')
  const { state = '', nonce = '' } = Object.fromEntries(address.searchParams)
  other.forge(ready, nonce)
  const finished = await finishAt(install, 'other', { code: 'code', state, iss: other.issuer }, cookie)
  const second = await sessionOf(install, finished.cookie)
  expect(second?.user.username).toBe('ann.lee-2')
  expect(second?.user.id).not.toBe(first?.user.id)
})

test('a request asks for a code with PKCE, state and nonce, at the redirect address of the issuer', async () => {
  const { install } = await installWith()
  const { address, response } = await beginAt(install, 'corp')
  expect(Object.fromEntries(address.searchParams)).toMatchObject({
    redirect_uri: `${install.url}/api/auth/oidc/corp/callback`,
    code_challenge_method: 'S256',
    state: expect.stringMatching(/^[\w-]{43}$/),
    nonce: expect.stringMatching(/^[\w-]{43}$/),
  })
  expect(response.headers.getSetCookie()[0]).toMatch(/^carrel\.sign-in=[\w-]{43}; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/)
})

test('the redirect address and the cookie are those of PUBLIC_URL', async () => {
  const env = { PUBLIC_URL: 'https://tools.example.com' }
  const { install } = await installWith({}, { env, license: {} })
  const { address, response } = await beginAt(install, 'corp')
  expect(address.searchParams.get('redirect_uri')).toBe('https://tools.example.com/api/auth/oidc/corp/callback')
  expect(response.headers.getSetCookie()[0]).toMatch(
    /^__Host-carrel\.sign-in=[\w-]+; Max-Age=600; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
  )
})

test('the page that follows is never one of another host', async () => {
  const { install, forging } = await installWith()
  for (const next of ['https://evil.example.com/', '//evil.example.com', '/\\evil.example.com', '/.//evil.example.com']) {
    const { address, cookie } = await beginAt(install, 'corp', next)
    const { state = '', nonce = '' } = Object.fromEntries(address.searchParams)
    forging.forge(ready, nonce)
    const { response } = await finishAt(install, 'corp', { code: 'code', state, iss: forging.issuer }, cookie)
    expect(response.headers.get('location'), next).toBe('/')
  }
})

describe('a token', () => {
  const nowSeconds = Math.floor(Date.now() / 1000)
  const past = nowSeconds - 3_600
  const future = nowSeconds + 3_600
  test.each<[string, Forgery]>([
    ['of another issuer', { claims: { iss: 'https://evil.example.com' } }],
    ['for another client', { claims: { aud: 'other' } }],
    ['with another nonce', { claims: { nonce: 'other' } }],
    ['that has expired', { claims: { iat: past - 300, exp: past } }],
    ['that is issued in the future', { claims: { iat: future, exp: future + 300 } }],
    ['that is not valid yet', { claims: { nbf: future, exp: future + 300 } }],
    ['without a signature', { signedWith: 'nothing' }],
    ['that is signed with another key', { signedWith: 'another key' }],
    ['that is signed with the public key as a secret', { signedWith: 'HS256 with its public key' }],
    ['that is signed with the secret of the client', { signedWith: 'HS256 with the secret of the client' }],
    ['without a subject', { claims: { sub: '' } }],
    ['for a code that was used before', { tokenStatus: 400 }],
  ])('%s is rejected and creates no user', async (_, forgery) => {
    const { install, signInAs } = await installWith()
    const { response, problem, cookie } = await signInAs(forgery)
    expect(response.headers.get('location')).toBe('/sign-in')
    expect(problem).toBe('The sign-in could not be verified, or it was used before. Start again.')
    expect(cookie).toBeUndefined()
    expect(install.app.users.count()).toBe(1)
  })

  test('a token of a clock that is 20 seconds ahead is accepted', async () => {
    const { signInAs } = await installWith()
    const { cookie } = await signInAs({ claims: { iat: nowSeconds + 20, nbf: nowSeconds + 20, exp: nowSeconds + 300 } })
    expect(cookie).toBeDefined()
  })
})

describe('a response', () => {
  test('a response of another issuer is rejected', async () => {
    const { signInAs, forging } = await installWith()
    const { problem } = await signInAs(ready, { iss: 'https://evil.example.com' })
    expect(problem).toContain('Start again.')
    expect(forging.requests).not.toContain('/token')
  })

  test('a response with the state of another flow is rejected', async () => {
    const { install, signInAs } = await installWith()
    const other = await beginAt(install, 'corp')
    const { problem } = await signInAs(ready, { state: other.address.searchParams.get('state') ?? '' })
    expect(problem).toContain('Start again.')
  })

  test('a response at the address of another issuer is rejected', async () => {
    const { install, forging } = await installWith()
    const other = await startForgingIssuer()
    addIssuer(install, { name: 'other', issuer: other.issuer, clientId: other.clientId }, other.clientSecret)
    const { address, cookie } = await beginAt(install, 'other')
    const state = address.searchParams.get('state') ?? ''
    const { problem } = await finishAt(install, 'corp', { code: 'code', state, iss: forging.issuer }, cookie)
    expect(problem).toContain('not begun in this browser')
    expect([...forging.requests, ...other.requests]).not.toContain('/token')
  })

  test('a response in another browser is rejected', async () => {
    const { install, forging } = await installWith()
    const { address } = await beginAt(install, 'corp')
    const state = address.searchParams.get('state') ?? ''
    const { problem } = await finishAt(install, 'corp', { code: 'code', state, iss: forging.issuer }, '')
    expect(problem).toContain('not begun in this browser')
  })

  test('a response counts once', async () => {
    const { install, forging } = await installWith()
    const { address, cookie } = await beginAt(install, 'corp')
    const { state = '', nonce = '' } = Object.fromEntries(address.searchParams)
    forging.forge(ready, nonce)
    const parameters = { code: 'code', state, iss: forging.issuer }
    expect((await finishAt(install, 'corp', parameters, cookie)).cookie).toBeDefined()
    expect((await finishAt(install, 'corp', parameters, cookie)).problem).toContain('was finished before')
  })
})

describe('the domain of an address', () => {
  const entry = { allowedDomains: ['example.com'] }
  test.each<[string, Record<string, unknown>, string]>([
    ['that is not allowed', { email: 'ann@evil.example' }, 'is not of a domain'],
    ['that only ends like an allowed one', { email: 'ann@notexample.com' }, 'is not of a domain'],
    ['below an allowed one', { email: 'ann@mail.example.com' }, 'is not of a domain'],
    ['after a second @', { email: 'ann@evil.example@example.com' }, 'is not of a domain'],
    ['that is not verified', { email_verified: false }, 'has not verified'],
    ['without a word about it', { email_verified: undefined }, 'has not verified'],
  ])('%s is rejected', async (_, claims, message) => {
    const { signInAs } = await installWith(entry)
    const { problem, cookie } = await signInAs({ claims })
    expect(problem).toContain(message)
    expect(cookie).toBeUndefined()
  })

  test('a domain that is allowed is accepted in any case', async () => {
    const { signInAs } = await installWith(entry)
    expect((await signInAs({ claims: { email: 'ann@Example.COM' } })).cookie).toBeDefined()
  })
})

describe('roles', () => {
  const entry = { roleClaim: 'realm_access.roles', adminValues: ['carrel-admin'], memberValues: ['carrel'] }
  const roles = (...names: unknown[]) => ({ claims: { realm_access: { roles: names } } })

  test('roles are those of the claim at each sign-in', async () => {
    const { install, signInAs } = await installWith(entry)
    const roleAs = async (forgery: Forgery) => (await sessionOf(install, (await signInAs(forgery)).cookie))?.user.role
    expect(await roleAs(roles('carrel'))).toBe('member')
    expect(await roleAs(roles('carrel', 'carrel-admin'))).toBe('admin')
    expect(await roleAs(roles('carrel'))).toBe('member')
  })

  test.each([
    ['no value', roles()],
    ['look-alikes', roles('сarrel', 'Carrel', 'carrel ', 'carrel*', '*', 'carrel\u200b')],
    ['values that are no texts', roles(1, null, ['carrel-admin'], { carrel: true })],
    ['another claim of the path as one name', { claims: { 'realm_access.roles': 'none', realm_access: { roles: ['carrel'] } } }],
  ])('%s do not let anybody in', async (_, forgery) => {
    const { signInAs } = await installWith(entry)
    const { problem, cookie } = await signInAs(forgery)
    expect(problem).toContain('Your account may not use this install.')
    expect(cookie).toBeUndefined()
  })

  test('the last admin stays one', async () => {
    const { install, signInAs } = await installWith(entry)
    await signInAs(roles('carrel-admin'))
    const [local] = install.app.users.list()
    install.app.users.change(local?.id ?? '', { role: 'member' })
    const { cookie } = await signInAs(roles('carrel'))
    expect((await sessionOf(install, cookie))?.user.role).toBe('admin')
    expect(install.log.text()).toContain('the last admin stays an admin')
  })

  test('an admin who cannot sign in any more is not counted as one who is left', async () => {
    const { install, signInAs } = await installWith(entry)
    await signInAs(roles('carrel-admin'))
    install.app.settings.change({ 'sso.localAccounts': false })
    const person = install.app.users.list().find(({ issuer }) => issuer !== null)
    const demote = () => install.call('PATCH', `/api/users/${person?.id}`, { role: 'member' })
    expect(await demote()).toMatchObject({ status: 403, body: { message: expect.stringContaining('the last admin') } })
    install.app.settings.change({ 'sso.localAccounts': true })
    expect((await demote()).status).toBe(200)
  })

  test('roles without a claim are left to the admins of the install', async () => {
    const { install, signInAs } = await installWith()
    const user = (await sessionOf(install, (await signInAs(ready)).cookie))?.user
    install.app.users.change(user?.id ?? '', { role: 'admin' })
    expect((await sessionOf(install, (await signInAs(ready)).cookie))?.user.role).toBe('admin')
  })
})

test('groups are those of the last sign-in, and never local ones', async () => {
  const { install, signInAs } = await installWith({ groupsClaim: 'groups' })
  install.app.groups.create('docs')
  const groupsAs = async (groups: string[]) => {
    const user = (await sessionOf(install, (await signInAs({ claims: { groups } })).cookie))?.user
    return [...install.app.groups.groupsOf(user?.id ?? '')].sort()
  }
  expect(await groupsAs(['docs', '/a/*', 'dосs'])).toEqual(['corp:/a/*', 'corp:docs', 'corp:dосs'])
  expect(await groupsAs(['api'])).toEqual(['corp:api'])
  install.app.settings.change({
    'sso.issuers': install.app.settings.get('sso.issuers').map((entry) => ({ ...entry, groupsClaim: '' })),
  })
  expect(await groupsAs(['api'])).toEqual([])
})

test('ten thousand groups are one sign-in', async () => {
  const { install, signInAs } = await installWith({ groupsClaim: 'groups' })
  const groups = Array.from({ length: 10_000 }, (_, n) => `a group with a long name, ${n}`)
  const { cookie } = await signInAs({ claims: { groups } })
  const user = (await sessionOf(install, cookie))?.user
  expect(install.app.groups.groupsOf(user?.id ?? '').size).toBe(10_000)
})

test('a sign-in is in the audit log, and a refused one with its issuer', async () => {
  const { install, signInAs } = await installWith()
  await signInAs(ready)
  await signInAs({ signedWith: 'another key' })
  const { body } = await install.call('GET', '/api/audit?action=session.begin')
  expect(body.entries).toMatchObject([
    { actor: 'anonymous', subject: 'issuer corp', outcome: 'refused' },
    { actor: 'ann.lee', subject: 'ann.lee (issuer corp)', outcome: 'allowed' },
  ])
})

test('a disabled user cannot sign in', async () => {
  const { install, signInAs } = await installWith()
  const user = (await sessionOf(install, (await signInAs(ready)).cookie))?.user
  install.app.users.change(user?.id ?? '', { disabled: true })
  const { problem, cookie } = await signInAs(ready)
  expect(problem).toBe('This user is disabled; ask an admin.')
  expect(cookie).toBeUndefined()
})

test('a user of an issuer has no password that could be set or guessed', async () => {
  const { install, signInAs } = await installWith()
  const { cookie = '' } = await signInAs(ready)
  const user = (await sessionOf(install, cookie))?.user
  const set = await install.call('PATCH', `/api/users/${user?.id}`, { password: 'another password' })
  expect(set).toMatchObject({ status: 403, body: { message: expect.stringContaining('has no password here') } })
  const headers = { cookie, 'content-type': 'application/json', origin: install.url }
  const body = JSON.stringify({ username: 'ann', password: 'another password', currentPassword: 'undefined' })
  expect((await install.ask('/api/account/credentials', { method: 'POST', headers, body })).status).toBe(403)
  await expect(signIn(install, { username: 'ann.lee', password: 'undefined' })).rejects.toMatchObject({ code: 'invalid_api_key' })
})

test('the list of users names the issuer of each', async () => {
  const { install, forging, signInAs } = await installWith()
  await signInAs(ready)
  const { body } = await install.call('GET', '/api/users')
  expect((body.users as { issuer: string | null }[]).map(({ issuer }) => issuer)).toEqual([null, forging.issuer])
})

test('signing out names the address that ends the session at the issuer', async () => {
  const { install, signInAs } = await installWith()
  const { cookie = '' } = await signInAs(ready)
  const headers = { cookie, origin: install.url }
  const response = await install.ask('/api/auth/session/sign-out', { method: 'POST', headers })
  const { next = '' } = (await response.json()) as { next?: string }
  const address = new URL(next)
  expect(address.origin + address.pathname).toBe('http://127.0.0.1:9/end')
  expect(address.searchParams.get('post_logout_redirect_uri')).toBe(`${install.url}/sign-in`)
  expect(address.searchParams.get('id_token_hint')).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/)
  expect(await sessionOf(install, cookie)).toBeNull()
})

describe('passwords', () => {
  const pair = { username: 'admin', password: 'admin' }
  const send = ({ ask, url }: TestInstall) =>
    ask('/api/auth/session/sign-in/username', {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: url },
      body: JSON.stringify(pair),
    })

  async function signInLocally(install: TestInstall): Promise<string> {
    const owner = { username: 'owner', password: 'a long password' }
    await createUser(install, { ...owner, role: 'admin' })
    return signIn(install, owner)
  }

  test('passwords can be turned off', async () => {
    const { install } = await installWith({ label: 'Example' })
    await install.call('PATCH', '/api/settings', { 'sso.localAccounts': false })
    const response = await send(install)
    expect(response.status).toBe(403)
    expect(await response.json()).toMatchObject({ message: 'Sign-in with a password is turned off. Sign in with Example.' })
    expect(await (await install.ask('/api/auth/oidc')).json()).toMatchObject({ passwords: false })
  })

  test('sessions of passwords end when passwords are turned off', async () => {
    const { install, signInAs } = await installWith()
    const local = await signInLocally(install)
    const person = (await signInAs(ready)).cookie
    const statusOf = async (cookie: string | undefined) =>
      (await install.ask('/api/account/sessions', { headers: { cookie: cookie ?? '' } })).status
    install.app.settings.change({ 'sso.localAccounts': false })
    expect([await statusOf(local), await statusOf(person)]).toEqual([401, 200])
    expect(await sessionOf(install, local)).toBeNull()
    install.app.settings.change({ 'sso.localAccounts': true })
    expect(await statusOf(local)).toBe(401)
  })

  test('sessions of an issuer end when the settings no longer name it', async () => {
    const { install, signInAs } = await installWith()
    const { cookie } = await signInAs(ready)
    install.app.settings.change({ 'sso.issuers': null })
    expect(await sessionOf(install, cookie)).toBeNull()
  })

  describe('an admin in a session', () => {
    const change = (install: TestInstall, cookie: string | undefined, changes: object) =>
      install.ask('/api/settings', {
        method: 'PATCH',
        headers: { cookie: cookie ?? '', origin: install.url, 'content-type': 'application/json' },
        body: JSON.stringify(changes),
      })

    test.each([[false], ['false']])(
      'an admin with a password cannot turn passwords off with %j, one of the issuer can',
      async (off) => {
        const { install, signInAs } = await installWith({ roleClaim: 'role', adminValues: ['admin'] })
        const refused = await change(install, await signInLocally(install), { 'sso.localAccounts': off })
        expect(refused.status).toBe(400)
        expect(await refused.json()).toMatchObject({
          message: expect.stringContaining('an admin who has signed in at an issuer'),
        })
        expect(install.app.settings.get('sso.localAccounts')).toBe(true)
        const { cookie } = await signInAs({ claims: { role: 'admin' } })
        expect((await change(install, cookie, { 'sso.localAccounts': off })).status).toBe(200)
      },
    )

    test('an admin cannot remove the issuer of their session, nor add one that takes their password', async () => {
      const { install, signInAs, forging } = await installWith({ roleClaim: 'role', adminValues: ['admin'] })
      const { cookie } = await signInAs({ claims: { role: 'admin' } })
      expect((await change(install, cookie, { 'sso.issuers': [] })).status).toBe(400)
      install.app.settings.change({ 'sso.localAccounts': false })
      install.app.settings.change({ 'sso.issuers': null })
      const local = await signInLocally(install)
      const issuers = [{ name: 'corp', kind: 'oidc', issuer: `${forging.issuer}/mistyped`, clientId: 'carrel' }]
      expect((await change(install, local, { 'sso.issuers': issuers })).status).toBe(400)
      expect(install.app.settings.get('sso.issuers')).toEqual([])
    })
  })

  test('passwords cannot be turned off without an issuer', async () => {
    const install = await testInstall()
    onTestFinished(install.close)
    const { status, body } = await install.call('PATCH', '/api/settings', { 'sso.localAccounts': false })
    expect(status).toBe(400)
    expect(body.message).toContain('only if sso.issuers names an issuer')
  })

  test('passwords count again when the last issuer is removed', async () => {
    const { install } = await installWith()
    install.app.settings.change({ 'sso.localAccounts': false })
    install.app.settings.change({ 'sso.issuers': null })
    expect((await send(install)).status).toBe(200)
  })
})

describe('an issuer', () => {
  test('an issuer that is away is named on the sign-in page', async () => {
    const { install, forging } = await installWith()
    forging.forge({ metadataStatus: 503 }, '')
    const { response, cookie } = await beginAt(install, 'corp')
    expect(response.headers.get('location')).toBe('/sign-in')
    const shown = (await (await install.ask('/api/auth/oidc', { headers: { cookie } })).json()) as { problem: string }
    expect(shown.problem).toContain('does not respond')
  })

  test('an issuer that the settings do not name is not found', async () => {
    const { install } = await installWith()
    expect((await beginAt(install, 'strange')).response.status).toBe(404)
  })

  test('an issuer is only asked at its own hosts', async () => {
    const elsewhere = await startForgingIssuer()
    const forging = await startForgingIssuer({ token_endpoint: `${elsewhere.issuer}/token` })
    const install = await testInstall()
    onTestFinished(install.close)
    addIssuer(install, { name: 'corp', issuer: forging.issuer, clientId: 'carrel' }, 'secret')
    const { address, cookie } = await beginAt(install, 'corp')
    const state = address.searchParams.get('state') ?? ''
    const { problem } = await finishAt(install, 'corp', { code: 'code', state, iss: forging.issuer }, cookie)
    expect(problem).toContain('is not among the hosts')
    expect(elsewhere.requests).toEqual([])
  })

  test('an issuer that is changed in the settings is asked anew', async () => {
    const { install, signInAs, forging } = await installWith()
    await signInAs(ready)
    install.app.settings.change({
      'sso.issuers': [{ name: 'corp', kind: 'oidc', issuer: forging.issuer, clientId: 'renamed' }],
    })
    expect((await beginAt(install, 'corp')).address.searchParams.get('client_id')).toBe('renamed')
  })
})
