import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { createUser } from '../../fixtures/create-user.ts'
import { eventReader } from '../../fixtures/event-reader.ts'
import { type ScimProvider, scimProvider, userUrn } from '../../fixtures/scim.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'
import { until } from '../../fixtures/until.ts'

let install: TestInstall
let corp: ScimProvider

beforeEach(async () => {
  install = await testInstall()
  onTestFinished(install.close)
  corp = await scimProvider(install, 'corp', { roleClaim: 'role', adminValues: ['admin'], memberValues: ['member'] })
})

const ann = { sub: 'ann', role: 'member' }
const userOf = async (cookie = '') =>
  (
    (await (await install.ask('/api/auth/session/get-session', { headers: { cookie } })).json()) as {
      user: Record<string, string>
    } | null
  )?.user
const turnOff = () => install.app.settings.change({ 'sso.issuers.corp.scimToken': null })
const turnOn = () => install.app.settings.change({ 'sso.issuers.corp.scimToken': 'corp-a-provisioning-token-of-the-issuer' })

describe('a sign-in', () => {
  test('a sign-in of a provisioned person is that of the provisioned user, also the second one', async () => {
    await corp.createUser('ann.lee', { externalId: 'ann' })
    const first = await userOf((await corp.signIn(ann)).cookie)
    expect(first).toMatchObject({ username: 'ann.lee', role: 'member' })
    expect((await userOf((await corp.signIn(ann)).cookie))?.id).toBe(first?.id)
    expect(install.app.users.count()).toBe(2)
  })

  test('a sign-in of somebody who is not provisioned creates nobody', async () => {
    await corp.createUser('ann', { externalId: 'other', userName: 'ann' })
    const { problem, cookie } = await corp.signIn({ ...ann, preferred_username: 'ann', email: 'ann@example.com' })
    expect(problem).toMatch(/^Your account is not provisioned here yet/)
    expect(cookie).toBeUndefined()
    expect(install.app.users.count()).toBe(2)
  })

  test('a sign-in never joins by name or e-mail address, also not if the externalId is one', async () => {
    await createUser(install, { username: 'ann', password: 'a long password' })
    await corp.createUser('ann', { externalId: 'ann@example.com' })
    expect((await corp.signIn({ ...ann, email: 'ann@example.com' })).cookie).toBeUndefined()
  })

  test('the claim of the join is one of the settings, but no name', async () => {
    const entry = (scimClaim: string) => [{ ...install.app.settings.get('sso.issuers')[0], scimClaim }]
    for (const name of ['email', 'upn', 'preferred_username'])
      expect(() => install.app.settings.change({ 'sso.issuers': entry(name) })).toThrow('must be an id that never changes')
    install.app.settings.change({ 'sso.issuers': entry('employee') })
    await corp.createUser('ann', { externalId: 'e-17' })
    expect((await corp.signIn({ ...ann, employee: 'e-18' })).cookie).toBeUndefined()
    expect(await userOf((await corp.signIn({ ...ann, employee: 'e-17' })).cookie)).toMatchObject({ username: 'ann' })
    // The next person with this value is another one.
    expect((await corp.signIn({ ...ann, sub: 'eve', employee: 'e-17' })).problem).toMatch(/^Another account of the issuer/)
  })

  test('two sign-ins of a person at once have one user', async () => {
    await corp.createUser('ann')
    const [one, two] = [await corp.beginSignIn(ann), await corp.beginSignIn(ann)]
    // The issuer signs for the nonce of the second one, so that only one of both is valid.
    const done = await Promise.all([one(), two(), (await corp.beginSignIn(ann))()])
    expect(done.filter(({ cookie }) => cookie).length).toBeGreaterThan(0)
    expect(install.app.users.count()).toBe(2)
  })

  test('a role is that of the claim, never one of SCIM', async () => {
    await corp.createUser('ann', { roles: [{ value: 'admin', primary: true }], userType: 'admin' })
    expect(install.app.users.list()[1]).toMatchObject({ username: 'ann', role: 'member' })
    expect(await userOf((await corp.signIn({ ...ann, role: 'admin' })).cookie)).toMatchObject({ role: 'admin' })
  })
})

describe('a person who had a user before', () => {
  test('a person keeps that user when provisioned, with the groups of SCIM instead of those of the claims', async () => {
    turnOff()
    install.app.settings.change({
      'sso.issuers': [{ ...install.app.settings.get('sso.issuers')[0], groupsClaim: 'groups' }],
    })
    const before = await userOf((await corp.signIn({ ...ann, groups: ['old'] })).cookie)
    expect(install.app.groups.list()).toEqual([{ name: 'corp:old', issuer: 'corp', members: 1 }])
    turnOn()
    const id = await corp.createUser('ann')
    expect(install.app.groups.list()).toEqual([])
    await corp.createGroup('docs', [id])
    const after = await userOf((await corp.signIn({ ...ann, groups: ['old'] })).cookie)
    expect(after?.id).toBe(before?.id)
    expect(install.app.groups.list()).toEqual([{ name: 'corp:docs', issuer: 'corp', members: 1 }])
    expect(install.app.users.count()).toBe(2)
  })

  test('a person whose claim was not known keeps the user at the next sign-in', async () => {
    install.app.settings.change({ 'sso.issuers': [{ ...install.app.settings.get('sso.issuers')[0], scimClaim: 'oid' }] })
    turnOff()
    const before = await userOf((await corp.signIn(ann)).cookie)
    turnOn()
    const id = await corp.createUser('ann', { externalId: 'o-1' })
    await corp.createGroup('docs', [id])
    const after = await userOf((await corp.signIn({ ...ann, oid: 'o-1' })).cookie)
    expect(after?.id).toBe(before?.id)
    expect((await corp.scim('GET', `/Users/${id}`)).body).toMatchObject({ externalId: 'o-1', groups: [{ display: 'docs' }] })
    expect(install.app.users.count()).toBe(2)
  })

  test('a person whom the provider has disabled meanwhile is disabled', async () => {
    install.app.settings.change({ 'sso.issuers': [{ ...install.app.settings.get('sso.issuers')[0], scimClaim: 'oid' }] })
    turnOff()
    const { cookie } = await corp.signIn(ann)
    turnOn()
    await corp.createUser('ann', { externalId: 'o-1', active: false })
    expect(await userOf(cookie)).toBeDefined()
    expect((await corp.signIn({ ...ann, oid: 'o-1' })).problem).toBe('This user is disabled; ask an admin.')
    expect(await userOf(cookie)).toBeUndefined()
  })

  test('a person gets the user when the provider sends the externalId later', async () => {
    turnOff()
    const before = await userOf((await corp.signIn(ann)).cookie)
    turnOn()
    const { body } = await corp.scim('POST', '/Users', { schemas: [userUrn], userName: 'ann' })
    expect(install.app.users.count()).toBe(3)
    expect(await corp.patch(`/Users/${body.id}`, { op: 'Add', path: 'externalId', value: 'ann' })).toMatchObject({ status: 200 })
    expect(install.app.users.list().map(({ id }) => id)).toContain(before?.id)
    expect(install.app.users.count()).toBe(2)
  })

  test('a person with two provisioned users signs in as neither of them', async () => {
    install.app.settings.change({ 'sso.issuers': [{ ...install.app.settings.get('sso.issuers')[0], scimClaim: 'oid' }] })
    const id = await corp.createUser('ann', { externalId: 'o-1' })
    expect((await corp.signIn({ ...ann, oid: 'o-1' })).cookie).toBeDefined()
    await corp.patch(`/Users/${id}`, { op: 'remove', path: 'externalId' })
    await corp.createUser('ann.lee', { externalId: 'o-2' })
    expect((await corp.signIn({ ...ann, oid: 'o-2' })).problem).toMatch(/^Another account of the issuer/)
    expect(install.app.users.count()).toBe(3)
  })

  test('a user of somebody who has signed in never becomes that of another person', async () => {
    const id = await corp.createUser('ann')
    await corp.signIn(ann)
    const moved = await corp.patch(`/Users/${id}`, { op: 'replace', path: 'externalId', value: 'eve' })
    expect(moved).toMatchObject({ status: 400, body: { scimType: 'mutability' } })
    expect((await corp.signIn({ ...ann, sub: 'eve' })).cookie).toBeUndefined()
  })
})

describe('deactivation', () => {
  const signedIn = async (role = 'member') => {
    const id = await corp.createUser('ann')
    const { cookie = '' } = await corp.signIn({ ...ann, role })
    const headers = { cookie, origin: install.url, 'content-type': 'application/json' }
    const post = (path: string, body: unknown) => install.ask(path, { method: 'POST', headers, body: JSON.stringify(body) })
    const { key } = (await (await post('/api/keys', { name: 'mine' })).json()) as { key: string }
    const userId = (await userOf(cookie))?.id ?? ''
    const client = { id: 'editor', name: 'Editor', redirectUris: ['https://example.com/'], byAdmin: false }
    const { tokens } = install.app.oauth.grant({ userId, client, resource: `${install.url}/mcp` })
    return { id, userId, cookie, key, tokens, post }
  }
  const mcp = (token: string) =>
    install.ask('/mcp', {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: '{}',
    })

  test.each(['deactivated', 'deleted'])(
    'a user who is %s has no session, no key, no access of MCP clients and no running stream',
    async (how) => {
      const { id, cookie, key, tokens } = await signedIn()
      install.app.settings.change({ 'permissions.requireMcpAuth': true })
      const streams = [await eventReader(install, { key }), await eventReader(install, { headers: { cookie } })]
      expect(streams.map(({ status }) => status)).toEqual([200, 200])
      const statuses = async () => [
        (await install.ask('/api/jobs', { key })).status,
        (await install.ask('/api/jobs', { headers: { cookie } })).status,
        (await mcp(tokens.access)).status,
      ]
      expect(await statuses()).toEqual([200, 200, 400])
      if (how === 'deleted') expect((await corp.scim('DELETE', `/Users/${id}`)).status).toBe(204)
      else expect((await corp.setActive(id, false)).status).toBe(200)
      expect(await statuses()).toEqual([401, 401, 401])
      await until(() => streams.every((stream) => stream.ended()))
      const form = { grant_type: 'refresh_token', refresh_token: tokens.refresh, client_id: 'editor' }
      expect((await install.ask('/mcp/oauth/token', { method: 'POST', body: new URLSearchParams(form) })).status).toBe(400)
      expect((await corp.signIn(ann)).cookie).toBeUndefined()
      expect(install.app.users.count()).toBe(how === 'deleted' ? 1 : 2)
    },
  )

  test('a user who is active again has no session from before, but the keys', async () => {
    const { id, cookie, key } = await signedIn()
    await corp.setActive(id, false)
    await corp.setActive(id, true)
    expect((await install.ask('/api/jobs', { headers: { cookie } })).status).toBe(401)
    expect((await install.ask('/api/jobs', { key })).status).toBe(200)
    expect((await corp.signIn(ann)).cookie).toBeDefined()
  })

  test('a download of a user who is deactivated ends before it is complete', async () => {
    const { id, cookie } = await signedIn('admin')
    const actor = { name: 'x'.repeat(2_000), id: '', address: '' }
    install.app.audit.recordAll(
      { actor, action: 'test' },
      Array.from({ length: 20_000 }, (_, n) => `entry ${n}`),
    )
    const answer = await install.ask('/api/backups', { headers: { cookie } })
    expect(answer.status).toBe(200)
    const download = await fetch(`${install.url}/api/audit/export`, { headers: { cookie } })
    const reader = (download.body as ReadableStream<Uint8Array>).getReader()
    await reader.read()
    await corp.setActive(id, false)
    const closed = await new Promise<unknown>((resolve) => {
      // Nobody reads until the server has had the time to look.
      setTimeout(async () => {
        try {
          while (!(await reader.read()).done);
          resolve('complete')
        } catch (error) {
          resolve(error)
        }
      }, 6_000)
    })
    expect(closed).toBeInstanceOf(Error)
  })

  test('a login of a command line that waits gets no working key', async () => {
    const { id, cookie } = await signedIn()
    const form = (path: string, body: Record<string, string>) =>
      install.ask(path, { method: 'POST', body: new URLSearchParams(body) })
    const device = (await (await form('/mcp/oauth/device', {})).json()) as Record<string, string>
    const allow = (code = '') =>
      install.ask(`/api/device-logins/${code}`, {
        method: 'POST',
        headers: { cookie, origin: install.url, 'content-type': 'application/json' },
        body: '{"allow": true}',
      })
    expect((await allow(device.user_code)).status).toBe(200)
    await corp.setActive(id, false)
    const grant_type = 'urn:ietf:params:oauth:grant-type:device_code'
    const got = (await (await form('/mcp/oauth/token', { grant_type, device_code: device.device_code ?? '' })).json()) as Record<
      string,
      string
    >
    expect((await install.ask('/api/jobs', { key: got.access_token ?? '' })).status).toBe(401)
    expect((await allow(device.user_code)).status).toBe(401)
  })

  test('a code that waits for its client becomes no access', async () => {
    const { id, userId } = await signedIn()
    const client = install.app.oauth.register({ name: 'Editor', redirectUris: ['https://example.com/'], byAdmin: false })
    if (!client) throw new Error('no client')
    const verifier = 'v'.repeat(43)
    const { createHash } = await import('node:crypto')
    const challenge = createHash('sha256').update(verifier).digest('base64url')
    const asked = {
      client,
      redirectUri: 'https://example.com/',
      namesRedirect: false,
      challenge,
      state: undefined,
      resource: `${install.url}/mcp`,
    }
    const code = install.app.authorizations.allow(asked, userId)
    await corp.setActive(id, false)
    const form = { grant_type: 'authorization_code', code, code_verifier: verifier, client_id: client.id }
    const answer = await install.ask('/mcp/oauth/token', { method: 'POST', body: new URLSearchParams(form) })
    expect(await answer.json()).toMatchObject({ error: 'invalid_grant' })
  })

  test.each([
    ['deactivated', 'the session is made'],
    ['deleted', 'the session is made'],
    ['deactivated', 'the session is stored'],
    ['deleted', 'the session is stored'],
  ])('a sign-in during which the user is %s before %s leaves no session', async (how, when) => {
    const { id, userId } = await signedIn()
    const { accounts } = install.app
    const begin = accounts.beginSession
    const end = () => (how === 'deleted' ? corp.scim('DELETE', `/Users/${id}`) : corp.setActive(id, false))
    accounts.beginSession = async (...args) => {
      if (when === 'the session is made') await end()
      const begun = await begin(...args)
      if (when === 'the session is stored') await end()
      return begun
    }
    const { problem, cookie } = await corp.signIn(ann)
    accounts.beginSession = begin
    expect(problem).toBe('This user is disabled; ask an admin.')
    expect(cookie).toBeUndefined()
    expect(install.app.users.sessions(userId)).toEqual([])
    if (how === 'deactivated') await corp.setActive(id, true)
    expect(install.app.users.sessions(userId)).toEqual([])
  })

  test('a person who was deactivated before the first sign-in does not sign in, and does when active', async () => {
    const id = await corp.createUser('ann', { active: false })
    expect((await corp.signIn(ann)).problem).toBe('This user is disabled; ask an admin.')
    await corp.setActive(id, true)
    expect((await corp.signIn(ann)).cookie).toBeDefined()
  })

  test('an admin who disables a user wins over the provider', async () => {
    const { id, userId } = await signedIn()
    await install.call('PATCH', `/api/users/${userId}`, { disabled: true })
    expect((await corp.setActive(id, true)).body).toMatchObject({ active: false })
    expect((await corp.signIn(ann)).cookie).toBeUndefined()
  })

  test('the last admin is neither deactivated nor deleted, which is audited', async () => {
    const { id } = await signedIn('admin')
    const [local] = install.app.users.list()
    install.app.users.change(local?.id ?? '', { disabled: true })
    const refused = { status: 403, body: { status: '403', detail: 'This is the last admin. Make another user an admin first.' } }
    expect(await corp.setActive(id, false)).toMatchObject(refused)
    expect(await corp.scim('DELETE', `/Users/${id}`)).toMatchObject(refused)
    expect((await corp.scim('GET', `/Users/${id}`)).body).toMatchObject({ active: true })
    expect(install.app.audit.list(1, 1, { outcome: 'refused' }).entries).toMatchObject([
      { actor: 'scim corp', action: 'scim.refuse' },
    ])
  })
})
