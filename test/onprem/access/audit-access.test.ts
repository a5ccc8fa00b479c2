import { afterAll, beforeAll, expect, test } from 'vitest'
import type { AuditEntry, AuditFilter } from '../../../onprem/accounts/audit-log.ts'
import { verifyAudit } from '../../../onprem/accounts/verify-audit.ts'
import { openDatabase } from '../../../shared/store/database.ts'
import { mcpClientOf } from '../../fixtures/mcp-client.ts'
import { page } from '../../fixtures/page.ts'
import { signIn } from '../../fixtures/sign-in.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'

let app: TestInstall
let time = Date.parse('2026-11-30T12:00:00Z')

beforeAll(async () => {
  app = await testInstall({ now: () => new Date(time) })
  await app.git.create('acme/docs', { files: { 'README.md': page('Guide', 'The lever turns.') } })
  await app.parse('acme/docs')
  const hash = await app.app.passwords.hash('a long password')
  app.app.users.create({ username: 'ada', role: 'member', hash })
})
afterAll(() => app.close())

/** Entries that the work adds, oldest first. */
async function added(filter: AuditFilter, work: () => Promise<unknown>): Promise<AuditEntry[]> {
  const { id } = app.app.audit.head()
  await work()
  await new Promise(setImmediate)
  return app.app.audit.after(id, 1_000, filter)
}
const newKey = (name: string) => app.app.keys.create({ name, role: 'member' })
const context = (key: string, query = 'lever') => app.ask(`/api/v2/context?libraryId=/acme/docs&query=${query}`, { key })

test('a key is recorded once a day, and once a day for each library', async () => {
  const { id, key } = newKey('daily')
  const uses = await added({ action: 'key.use', actor: id }, async () => {
    for (let i = 0; i < 3; i++) await context(key)
    await app.ask('/api/v2/libs/acme/docs/pages', { key })
  })
  expect(uses).toMatchObject([
    { actor: 'key daily', actorId: id, address: '127.0.0.1', library: '', outcome: 'allowed' },
    { actor: 'key daily', library: '/acme/docs' },
  ])
  time += 86_400_000
  expect(await added({ action: 'key.use', actor: id }, () => context(key))).toHaveLength(2)
})

test('reads are recorded only while that is switched on, and never with a question', async () => {
  const { key } = newKey('reader')
  expect(await added({ action: 'library.read' }, () => context(key))).toEqual([])
  app.app.settings.change({ 'audit.reads': true })
  const client = await mcpClientOf(app, 'agent')
  const reads = await added({ action: 'library.read' }, async () => {
    await context(key, 'sesame')
    await context('', 'sesame')
    await app.ask('/api/projects/acme/docs/pages', { key })
    await client.callTool({ name: 'query-docs', arguments: { libraryId: '/acme/docs', query: 'sesame' } })
  })
  await client.close()
  app.app.settings.change({ 'audit.reads': null })
  expect(reads.map(({ actor, library }) => [actor, library])).toEqual([
    ['key reader', '/acme/docs'],
    ['anonymous', '/acme/docs'],
    ['key reader', '/acme/docs'],
    ['anonymous', '/acme/docs'],
  ])
  expect(JSON.stringify(app.app.audit.after(0, 10_000))).not.toContain('sesame')
})

test('a request that a holder is refused is recorded once a minute, with how many followed', async () => {
  const { id, key } = newKey('curious')
  const refused = await added({ outcome: 'refused', actor: id }, async () => {
    for (let i = 0; i < 5; i++) await app.ask('/api/settings', { key })
    await app.ask('/api/users', { key })
    time += 60_000
    await app.ask('/api/settings', { key })
  })
  expect(refused.map(({ subject }) => subject)).toEqual([
    'GET /api/settings',
    'GET /api/users',
    'GET /api/settings (4 more in a minute)',
    'GET /api/settings',
  ])
})

test('a library that exists and is not shown to a key is recorded, a missing one is not', async () => {
  time += 60_000
  const { id, key } = app.app.keys.create({ name: 'elsewhere', role: 'member', libraries: ['/acme/other'] })
  const refused = await added({ outcome: 'refused', actor: id }, async () => {
    for (const path of ['/api/v2/context?query=x&libraryId=/acme/', '/api/projects/acme/'])
      for (const repo of ['docs', 'missing']) expect((await app.ask(path + repo, { key })).status).toBe(404)
  })
  expect(refused).toMatchObject([{ action: 'library.read', library: '/acme/docs', subject: '/acme/docs' }])
})

test('a request without a key is refused without an entry', async () => {
  expect(await added({ outcome: 'refused' }, () => app.ask('/api/settings'))).toEqual([])
})

const attempt = (username: string, password: string, address = '203.0.113.5') =>
  app.ask('/api/auth/session/sign-in/username', {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: app.url, 'x-forwarded-for': address },
    body: JSON.stringify({ username, password }),
  })

test('a sign-in is recorded with its address, allowed or refused', async () => {
  time += 60_000
  const entries = await added({ action: 'session.begin' }, async () => {
    await attempt('Ada', 'a wrong password')
    await attempt('ada', 'a long password')
  })
  expect(entries).toMatchObject([
    { actor: 'anonymous', address: '203.0.113.5', subject: 'ada', outcome: 'refused' },
    { actor: 'ada', actorId: expect.stringMatching(/^[\da-f-]{36}$/), address: '203.0.113.5', outcome: 'allowed' },
  ])
})

test('a name that no user has is not recorded, because it may be a password', async () => {
  time += 60_000
  const entries = await added({ action: 'session.begin' }, () => attempt('my secret password', 'x'))
  expect(entries).toMatchObject([{ subject: 'unknown user', outcome: 'refused' }])
})

test('guesses from many addresses fill no disk', async () => {
  time += 60_000
  app.app.accessAudit.tidy()
  const entries = await added({ outcome: 'refused' }, async () => {
    for (let i = 0; i < 500; i++)
      app.app.accessAudit.refused({
        actor: { name: 'anonymous', id: '', address: `198.51.100.${i}` },
        action: 'session.begin',
        subject: 'ada',
      })
    app.app.accessAudit.tidy()
  })
  expect(entries).toHaveLength(61)
  expect(entries.at(-1)).toMatchObject({ action: 'session.begin', subject: '440 others in a minute' })
})

test('an answer does not wait for an audit log that cannot be written', async () => {
  const { key } = newKey('patient')
  const db = openDatabase(app.dataDir)
  db.exec("CREATE TRIGGER full BEFORE INSERT ON audit BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END")
  try {
    expect((await context(key)).status).toBe(200)
  } finally {
    db.exec('DROP TRIGGER full')
    db.close()
  }
})

test('a session that cannot be recorded ends', async () => {
  const ada = app.app.users.list().find(({ username }) => username === 'ada')?.id ?? ''
  const before = app.app.users.sessions(ada).length
  const db = openDatabase(app.dataDir)
  db.exec("CREATE TRIGGER full BEFORE INSERT ON audit BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END")
  try {
    expect((await attempt('ada', 'a long password', '203.0.113.77')).status).toBe(507)
  } finally {
    db.exec('DROP TRIGGER full')
    db.close()
  }
  expect(app.app.users.sessions(ada)).toHaveLength(before)
})

test('old entries are deleted by age, and what is left is still whole', async () => {
  await signIn(app, { username: 'ada', password: 'a long password' })
  time += 40 * 86_400_000
  newKey('later')
  app.app.audit.record({ actor: { name: 'ada', id: '', address: '' }, action: 'key.create', subject: 'later' })
  app.app.accessAudit.tidy()
  const before = app.app.audit.list(1, 1).total
  app.app.settings.change({ 'audit.retentionDays': 30 })
  app.app.accessAudit.tidy()
  app.app.accessAudit.tidy()
  const { entries, total } = app.app.audit.list(1, 10)
  expect(before).toBeGreaterThan(10)
  expect(total).toBe(2)
  expect(entries).toMatchObject([{ actor: 'retention', action: 'audit.cut' }, { subject: 'later' }])
  const db = openDatabase(app.dataDir)
  expect(verifyAudit(db)).toEqual({ entries: 2, head: app.app.audit.head() })
  db.close()
})
