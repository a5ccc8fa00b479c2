import { afterAll, beforeAll, expect, test } from 'vitest'
import { signIn } from '../../fixtures/sign-in.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'

let app: TestInstall
let mia: Caller
let ada: Caller

type Caller = { headers: Record<string, string> }
type Created = { id: string; name: string; prefix: string; key: string }
type Listed = Record<string, unknown> & { id: string; name: string }

beforeAll(async () => {
  app = await testInstall()
  const hash = await app.app.passwords.hash('a long password')
  for (const [username, role] of [['mia', 'member'] as const, ['ada', 'admin'] as const])
    app.app.users.create({ username, role, hash })
  const browser = async (username: string) => {
    const cookie = await signIn(app, { username, password: 'a long password' })
    return { headers: { cookie, origin: app.url } }
  }
  ;[mia, ada] = [await browser('mia'), await browser('ada')]
})
afterAll(() => app.close())

const withKey = (key: string): Caller => ({ headers: { authorization: `Bearer ${key}` } })
const post = (caller: Caller, body: unknown) => app.json('/api/keys', { method: 'POST', body, ...caller })
const make = async (caller: Caller, body: unknown) => {
  const { status, body: created } = await post(caller, body)
  if (status !== 201) throw new Error(JSON.stringify(created))
  return created as Created
}
const list = async (caller: Caller) => ((await app.json('/api/keys', caller)).body as { keys: Listed[] }).keys
const revoke = (caller: Caller, id: string) => app.json(`/api/keys/${id}`, { method: 'DELETE', ...caller })
const works = async (key: string) => (await app.ask('/api/jobs', { key })).status === 200

test('a member creates, lists and revokes a key that is shown once', async () => {
  const made = await post(mia, { name: 'laptop' })
  const { id, key, prefix } = made.body as Created
  expect(made).toEqual({ status: 201, body: { id, name: 'laptop', prefix, key } })
  expect(await works(key)).toBe(true)
  const listed = await list(mia)
  expect(listed).toEqual([
    {
      id,
      name: 'laptop',
      prefix,
      role: 'member',
      scope: null,
      libraries: null,
      addresses: null,
      owner: { id: expect.any(String), username: 'mia' },
      createdAt: expect.stringMatching(/Z$/),
      lastUsedAt: expect.stringMatching(/Z$/),
      expiresAt: null,
    },
  ])
  expect(JSON.stringify(listed)).not.toContain(key)
  expect(await revoke(mia, id)).toEqual({ status: 200, body: { message: 'The key laptop is revoked.' } })
  expect(await works(key)).toBe(false)
  expect(await list(mia)).toEqual([])
})

test('a key has the rights of its user', async () => {
  const { key } = await make(mia, { name: 'laptop' })
  expect((await app.ask('/api/users', { key })).status).toBe(403)
  const admins = await make(ada, { name: 'ops' })
  expect((await app.ask('/api/users', { key: admins.key })).status).toBe(200)
})

test('members see and revoke only their own keys, admins all', async () => {
  const theirs = await make(ada, { name: 'of ada' })
  const mine = await make(mia, { name: 'of mia' })
  expect((await list(mia)).map(({ name }) => name)).not.toContain('of ada')
  expect(await revoke(mia, theirs.id)).toEqual({
    status: 404,
    body: { error: 'not_found', message: 'There is no key with this id among those you may see.' },
  })
  expect((await list(ada)).map(({ name }) => name)).toEqual(expect.arrayContaining(['of ada', 'of mia', 'member', 'admin']))
  expect((await revoke(ada, mine.id)).status).toBe(200)
  expect(await works(mine.key)).toBe(false)
})

test('a key of the install creates keys of its role, sees only those, and revokes them with itself', async () => {
  const parent = app.app.keys.create({ name: 'pipeline', role: 'member' })
  const child = await make(withKey(parent.key), { name: 'step' })
  const grandchild = await make(withKey(child.key), { name: 'sub-step' })
  expect((await list(withKey(parent.key))).map(({ name, role, owner }) => [name, role, owner])).toEqual([
    ['pipeline', 'member', null],
    ['step', 'member', null],
  ])
  expect(await works(grandchild.key)).toBe(true)
  expect((await revoke(ada, parent.id)).status).toBe(200)
  expect([await works(parent.key), await works(child.key), await works(grandchild.key)]).toEqual([false, false, false])
})

test('a key created with a key belongs to the same user and ends with that key', async () => {
  const parent = await make(mia, { name: 'parent' })
  const child = await make(withKey(parent.key), { name: 'child' })
  expect((await list(mia)).find(({ id }) => id === child.id)?.owner).toMatchObject({ username: 'mia' })
  await revoke(mia, parent.id)
  expect(await works(child.key)).toBe(false)
})

test('a key never outlives the key that created it', async () => {
  const until = '2999-01-31T00:00:00.000Z'
  const parent = await make(mia, { name: 'parent', expiresAt: '2999-01-31' })
  const child = await make(withKey(parent.key), { name: 'child' })
  expect((await list(mia)).find(({ id }) => id === child.id)?.expiresAt).toBe(until)
  expect(await post(withKey(parent.key), { name: 'too long', expiresAt: '2999-02-01' })).toEqual({
    status: 400,
    body: {
      error: 'validation_error',
      fields: expect.any(Array),
      message: `expiresAt must not be after ${until}, when the key that creates this one expires.`,
    },
  })
})

test.each([
  [{}, 'name must be a text.'],
  [{ name: '' }, 'name must not be empty.'],
  [{ name: 'a\nb' }, 'name must be one line without control characters.'],
  [{ name: 'x', expiresAt: 'soon' }, 'expiresAt must be a date such as 2030-01-31 or 2030-01-31T12:00:00Z.'],
  [{ name: 'x', expiresAt: '2001-01-01' }, 'expiresAt must be in the future.'],
])('a request with %j creates no key', async (body, message) => {
  expect(await post(mia, body)).toEqual({ status: 400, body: { error: 'validation_error', message, fields: expect.any(Array) } })
})

test('the audit log names who created and revoked a key, but not the key', async () => {
  const { id, key, prefix } = await make(mia, { name: 'audited' })
  const made = await make(withKey(key), { name: 'by key' })
  await revoke(ada, id)
  const { entries } = app.app.audit.list(1, 4)
  expect(entries.map(({ actor, action, subject }) => [actor, action, subject])).toEqual([
    ['ada', 'key.revoke', `audited (${prefix})`],
    ['mia (key audited)', 'key.create', `by key (${made.prefix})`],
    ['mia (key audited)', 'key.use', 'this server'],
    ['mia', 'key.create', `audited (${prefix})`],
  ])
  expect(JSON.stringify(entries)).not.toContain(key)
})

test('a user has at most 100 keys, expired ones too, and the error has advice', async () => {
  const hash = await app.app.passwords.hash('a long password')
  const userId = app.app.users.create({ username: 'eve', role: 'member', hash })
  const headers = { cookie: await signIn(app, { username: 'eve', password: 'a long password' }), origin: app.url }
  const first = app.app.keys.create({ name: 'expired', role: 'member', userId, expiresAt: new Date(0) })
  for (let n = 2; n <= 99; n++) app.app.keys.create({ name: `key ${n}`, role: 'member', userId })
  const last = await make({ headers }, { name: 'key 100' })
  const message =
    'You have 100 keys, which is the limit. Revoke keys that you no longer use, such as expired ones, with DELETE /api/keys/<id> or on the page Account.'
  const refusal = { status: 400, body: { error: 'validation_error', message, fields: [] } }
  expect(await post({ headers }, { name: 'key 101' })).toEqual(refusal)
  expect(await post(withKey(last.key), { name: 'key 101' })).toEqual(refusal)
  expect((await post(mia, { name: 'of another user' })).status).toBe(201)
  expect((await revoke({ headers }, first.id)).status).toBe(200)
  expect((await post({ headers }, { name: 'key 101' })).status).toBe(201)
})

test('a key has the scope, libraries and addresses that were chosen, and lists show them', async () => {
  const limits = { scope: 'add', libraries: ['/acme/*', '/Other/Kit'], addresses: ['127.0.0.0/8', '::1'] }
  const { id, key } = await make(mia, { name: 'ci', ...limits })
  expect((await list(mia)).find((each) => each.id === id)).toMatchObject({ ...limits, libraries: ['/acme/*', '/other/kit'] })
  expect(await works(key)).toBe(true)
  const elsewhere = await make(mia, { name: 'elsewhere', addresses: ['192.0.2.1'] })
  expect(await works(elsewhere.key)).toBe(false)
})

test.each([
  [{ scope: 'write' }, /scope/],
  [{ scope: 'admin' }, /scope must be read or add: you are a member/],
  [{ libraries: [] }, /libraries/],
  [{ libraries: ['acme/kit'] }, /must be \/owner\/repo/],
  [{ libraries: ['/acme/**'] }, /must be \/owner\/repo/],
  [{ libraries: ['/acme/kit@v1/x'] }, /must be \/owner\/repo/],
  [{ addresses: ['10.0.0.0/33'] }, /must be an address or a network/],
  [{ addresses: ['example.com'] }, /must be an address or a network/],
])('a key with %j is rejected with a reason', async (limits, reason) => {
  const { status, body } = await post(mia, { name: 'ci', ...limits })
  expect([status, (body as { message: string }).message]).toEqual([400, expect.stringMatching(reason)])
})

test('an admin cannot limit a key with the scope admin to libraries', async () => {
  const { status, body } = await post(ada, { name: 'ci', scope: 'admin', libraries: ['/acme/*'] })
  expect([status, (body as { message: string }).message]).toEqual([400, expect.stringContaining('can do everything')])
})

test('a limited key makes none, and the keys of others have no more rights than the key that makes them', async () => {
  for (const limits of [{ libraries: ['/acme/*'] }, { addresses: ['127.0.0.1'] }, { scope: 'read' }]) {
    const { key } = await make(ada, { name: 'limited', ...limits })
    expect((await post(withKey(key), { name: 'escape' })).status).toBe(403)
  }
  const { key } = await make(ada, { name: 'adds', scope: 'add' })
  expect((await post(withKey(key), { name: 'escape', scope: 'admin' })).status).toBe(400)
  const { key: made } = await make(withKey(key), { name: 'same' })
  expect((await app.ask('/api/jobs', { key: made })).status).toBe(200)
  expect((await app.ask('/api/settings', { key: made })).status).toBe(403)
})

test('a limited key sees and revokes only itself among the keys of its user', async () => {
  const other = await make(mia, { name: 'other' })
  const { id, key } = await make(mia, { name: 'limited', libraries: ['/acme/*'] })
  expect((await list(withKey(key))).map((each) => each.id)).toEqual([id])
  expect((await revoke(withKey(key), other.id)).status).toBe(404)
  expect((await revoke(withKey(key), id)).status).toBe(200)
})

test('a key whose only library was deleted finds none', async () => {
  await app.git.create('acme/kit', { files: { 'README.md': '# Kit\n\nWords about widgets.\n' } })
  await app.parse('acme/kit')
  const { key } = await make(mia, { name: 'kit', libraries: ['/acme/kit'] })
  expect((await app.json('/api/projects', { key })).body).toMatchObject({ total: 1 })
  await app.call('DELETE', '/api/projects/acme/kit')
  expect((await app.json('/api/projects', { key })).body).toMatchObject({ total: 0 })
  expect((await app.json('/api/projects/acme/kit', { key })).body).toMatchObject({ error: 'library_not_found' })
})

test('a key that only reads adds public repositories as everyone does, without the stored token', async () => {
  const { key } = await make(ada, { name: 'agent', scope: 'read' })
  const parse = (repo: string) => app.json('/api/parse', { method: 'POST', key, body: { repoUrl: `${app.git.url}/${repo}` } })
  await app.git.create('acme/secret', { files: { 'README.md': '# Secret\n' }, private: '*:sesame' })
  app.app.settings.change({ 'github.token': 'sesame' })
  expect((await parse('acme/secret')).status).toBe(403)
  app.app.settings.change({ 'permissions.anonymousParse': true })
  expect((await parse('acme/secret')).status).toBe(401)
  app.app.settings.change({ 'permissions.anonymousParse': null, 'github.token': null })
})
