import { afterAll, beforeAll, expect, test } from 'vitest'
import { signIn } from '../../fixtures/sign-in.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'

let app: TestInstall
let cookie: string
beforeAll(async () => {
  app = await testInstall()
  const hash = await app.app.passwords.hash('a long password')
  app.app.users.create({ username: 'ada', role: 'admin', hash })
  cookie = await signIn(app, { username: 'ada', password: 'a long password' })
})
afterAll(() => app.close())

const list = async (query: string) => (await app.call('GET', `/api/audit?${query}`)).body

test('a change says which key made it from which address, as a trusted proxy names it', async () => {
  const key = app.app.keys.list().find(({ name }) => name === 'admin')
  await app.ask('/api/settings', {
    method: 'PATCH',
    key: app.keys.admin,
    headers: { 'content-type': 'application/json', 'x-forwarded-for': '203.0.113.9' },
    body: JSON.stringify({ 'storage.minFreeMb': 1 }),
  })
  expect(await list('q=storage.minFreeMb')).toMatchObject({
    total: 1,
    entries: [{ actor: 'key admin', actorId: key?.id, address: '203.0.113.9', action: 'setting.change', outcome: 'allowed' }],
  })
})

test('a change with a session says which user made it', async () => {
  const user = app.app.users.list().find(({ username }) => username === 'ada')
  const headers = { cookie, origin: app.url, 'content-type': 'application/json' }
  await app.ask('/api/settings', { method: 'PATCH', headers, body: JSON.stringify({ 'backup.keep': 3 }) })
  expect(await list('q=backup.keep')).toMatchObject({ entries: [{ actor: 'ada', actorId: user?.id, address: '127.0.0.1' }] })
})

test.each([
  ['actor=ada&action=setting', 1],
  ['action=setting.change&to=2020-01-01', 0],
  ['action=setting.change&from=2020-01-01T00:00:00%2B02:00', 2],
  ['outcome=allowed&library=/a/b', 0],
])('the filter %s finds %i entries', async (query, total) => {
  expect((await list(query)).total).toBe(total)
})

test.each(['outcome=maybe', 'from=yesterday', 'to=2020-13-01', `actor=${'x'.repeat(201)}`])(
  'the filter %s is rejected',
  async (query) => {
    expect(await app.call('GET', `/api/audit?${query}`)).toMatchObject({ status: 400, body: { error: 'validation_error' } })
  },
)

test('an export is a file of JSON lines, filtered like the list', async () => {
  const answer = await app.ask('/api/audit/export?action=setting', { key: app.keys.admin })
  expect(answer.headers.get('content-disposition')).toMatch(/^attachment; filename="carrel-audit-\d{4}-\d\d-\d\d\.jsonl"$/)
  const lines = (await answer.text()).trim().split('\n')
  expect(lines.map((line) => JSON.parse(line).action)).toEqual(Array(2).fill('setting.change'))
  expect(await list('action=audit.export')).toMatchObject({ total: 1, entries: [{ actor: 'key admin' }] })
})
