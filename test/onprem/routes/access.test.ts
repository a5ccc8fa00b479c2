import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'

let app: TestInstall

beforeAll(async () => {
  app = await testInstall()
  const hash = await app.app.passwords.hash('a long password')
  for (const username of ['mia', 'otto']) app.app.users.create({ username, role: 'member', hash })
})
afterAll(() => app.close())
beforeEach(() => {
  for (const { pattern } of app.app.libraryRules.current().list) app.app.libraryRules.remove(pattern)
  for (const { name } of app.app.groups.list()) app.app.groups.remove(name)
})

const setRule = (rule: Record<string, unknown>) => app.call('PUT', '/api/library-rules', rule)
const rules = async () => (await app.call('GET', '/api/library-rules')).body.rules as { pattern: string }[]
const accessOf = (id: string) => app.app.libraryRules.current().of(id)?.access

test('a group has the members that were set, until it is deleted', async () => {
  expect((await app.call('POST', '/api/groups', { name: 'Team' })).status).toBe(201)
  expect((await app.call('POST', '/api/groups', { name: 'team' })).body).toMatchObject({ error: 'validation_error' })
  await app.call('PUT', '/api/groups/team/members', { users: ['otto', 'Mia'] })
  expect((await app.call('GET', '/api/groups')).body).toEqual({ groups: [{ name: 'team', issuer: '', members: 2 }], total: 1 })
  expect((await app.call('GET', '/api/groups/team/members')).body).toEqual({ users: ['mia', 'otto'] })
  const unknown = await app.call('PUT', '/api/groups/team/members', { users: ['nobody'] })
  expect(unknown.body).toMatchObject({ error: 'validation_error', message: expect.stringContaining('"nobody"') })
  await app.call('DELETE', '/api/groups/team')
  expect((await app.call('GET', '/api/groups/team/members')).status).toBe(404)
})

test('a deleted user leaves the group', async () => {
  const id = app.app.users.create({ username: 'gone', role: 'member', hash: 'x' })
  app.app.groups.create('team')
  app.app.groups.setMembers('team', [id])
  await app.call('DELETE', `/api/users/${id}`)
  expect((await app.call('GET', '/api/groups/team/members')).body).toEqual({ users: [] })
})

test('the groups of an issuer have its name, so that it puts nobody into a local group', () => {
  const { groups, users } = app.app
  const [mia] = users.list().filter(({ username }) => username === 'mia')
  groups.create('team')
  groups.setFromIssuer(mia?.id ?? '', 'okta', ['team', 'team', '*', 'tеam'])
  expect([...groups.groupsOf(mia?.id ?? '')].sort()).toEqual(['okta:*', 'okta:team', 'okta:tеam'])
  groups.setFromIssuer(mia?.id ?? '', 'okta', [])
  expect([...groups.groupsOf(mia?.id ?? '')]).toEqual([])
})

test.each(['a:b', '', '-a', 'a b', 'te\u0430m', 'x'.repeat(101)])('the local group "%s" is rejected', async (name) => {
  expect((await app.call('POST', '/api/groups', { name })).body).toMatchObject({ error: 'validation_error' })
})

test('the most specific rule decides, and rules are listed in that order', async () => {
  for (const rule of [
    { pattern: '/*/*', access: 'internal' },
    { pattern: '/ACME/*', access: 'restricted', users: ['mia'] },
    { pattern: '/acme/docs-*', access: 'public' },
    { pattern: '/acme/docs-secret', access: 'restricted' },
  ])
    expect((await setRule(rule)).status).toBe(200)
  expect((await rules()).map(({ pattern }) => pattern)).toEqual(['/acme/docs-secret', '/acme/docs-*', '/acme/*', '/*/*'])
  expect(['/acme/docs-secret', '/acme/docs-open', '/acme/kit', '/other/kit', '/gitlab/acme~kit'].map(accessOf)).toEqual([
    'restricted',
    'public',
    'restricted',
    'internal',
    'restricted',
  ])
})

test('a rule of another owner does not open the library with a longer id, and one for just this id does', async () => {
  await setRule({ pattern: '/acme/*', access: 'restricted' })
  await setRule({ pattern: '/gitlab/*', access: 'public' })
  expect(accessOf('/gitlab/acme~kit')).toBe('restricted')
  await setRule({ pattern: '/gitlab/acme~kit', access: 'public' })
  expect(accessOf('/gitlab/acme~kit')).toBe('public')
})

test.each([
  [{ pattern: '/acme/*', access: 'secret' }, /access/],
  [{ pattern: 'acme/*', access: 'internal' }, /must be \/owner\/repo/],
  [{ pattern: '/acme', access: 'internal' }, /must be \/owner\/repo/],
  [{ pattern: '/a*b*c/x', access: 'internal' }, /must be \/owner\/repo/],
  [{ pattern: '/acme/kit@v1 ', access: 'internal' }, /must be \/owner\/repo/],
  [{ pattern: '/acme/*', access: 'internal', groups: ['team'] }, /groups must be empty with internal/],
  [{ pattern: '/acme/*', access: 'restricted', users: ['nobody'] }, /"nobody"/],
])('the rule %j is rejected with a reason', async (rule, reason) => {
  const { status, body } = await setRule(rule)
  expect([status, body.message]).toEqual([400, expect.stringMatching(reason)])
})

test('a rule that was changed meanwhile is not replaced', async () => {
  await setRule({ pattern: '/acme/*', access: 'internal' })
  const read = await app.ask('/api/library-rules', { key: app.keys.admin })
  await setRule({ pattern: '/acme/*', access: 'restricted' })
  const late = await app.json('/api/library-rules', {
    method: 'PUT',
    key: app.keys.admin,
    headers: { 'if-match': read.headers.get('etag') ?? '' },
    body: { pattern: '/acme/*', access: 'public' },
  })
  expect(late.status).toBe(412)
  expect(accessOf('/acme/kit')).toBe('restricted')
})

test('a rule of another process holds from the next request on', async () => {
  const { openDatabase } = await import('../../../shared/store/database.ts')
  const { sqliteLibraryRules } = await import('../../../onprem/accounts/library-rules.ts')
  expect(accessOf('/acme/kit')).toBeUndefined()
  const db = openDatabase(app.dataDir)
  sqliteLibraryRules(db).set({ pattern: '/acme/*', access: 'restricted', groups: [], users: [] })
  db.close()
  expect(accessOf('/acme/kit')).toBe('restricted')
})
