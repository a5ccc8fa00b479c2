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
  const { entries } = app.app.audit.list(1, 3)
  expect(entries.map(({ actor, action, subject }) => [actor, action, subject])).toEqual([
    ['ada', 'key.revoke', `audited (${prefix})`],
    ['mia (key audited)', 'key.create', `by key (${made.prefix})`],
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
