import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { maxAnonymousStreams, maxStreamsOfCaller } from '../../../onprem/events/stream-limit.ts'
import { openDatabase } from '../../../shared/store/database.ts'
import { type EventReader, eventReader } from '../../fixtures/event-reader.ts'
import { signIn } from '../../fixtures/sign-in.ts'
import type { TestInstall } from '../../fixtures/test-install.ts'
import { until } from '../../fixtures/until.ts'
import { widgetsInstall } from '../../fixtures/widgets-install.ts'

let app: TestInstall
const opened: EventReader[] = []
const open = async (init?: Parameters<typeof eventReader>[1]) => {
  const reader = await eventReader(app, init)
  opened.push(reader)
  return reader
}

beforeAll(async () => {
  app = await widgetsInstall()
})
afterAll(() => app.close())
afterEach(() => {
  for (const reader of opened.splice(0)) reader.close()
})

test('a parse is followed from the queue to its end, and so is the state of its library', async () => {
  const reader = await open({ key: app.keys.member })
  await app.git.create('acme/new', { files: { 'README.md': '# New\n\nNew words about levers.\n' } })
  const id = await app.queue('acme/new')
  const done = await reader.sees('job', { id, state: 'done' })
  expect(done.data).toEqual(expect.objectContaining({ project: '/acme/new', position: null, report: expect.any(Object) }))
  expect(done.data).not.toHaveProperty('log')
  await reader.sees('library', { id: '/acme/new', state: 'finalized' })
  expect((await app.call('DELETE', '/api/projects/acme/new')).status).toBe(200)
  await reader.sees('library', { id: '/acme/new', state: 'deleted' })
})

test('a job that changes all the time is sent at most four times a second', async () => {
  app.git.misbehave('acme/widgets', { kind: 'stall', at: 'refs' })
  const reader = await open({ key: app.keys.member })
  const id = await app.queue('acme/widgets', { force: true })
  const busy = { filesTotal: 1000, snippets: 0, statusMessage: 'Reading files' }
  const ofJob = () => reader.events.filter(({ data }) => data.id === id)
  let filesDone = 0
  await until(() => {
    app.app.jobs.progress(id, { ...busy, filesDone: ++filesDone })
    return ofJob().length >= 8
  })
  const times = ofJob().map(({ atMs }) => atMs)
  // Arrivals may be delayed, but not hastened: eight events take at least 7 × 250 ms less one delay.
  expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeGreaterThan(6 * 250)
  expect(filesDone).toBeGreaterThan(50)
  await app.app.worker.cancel(id)
  app.git.misbehave('acme/widgets')
})

test('a client that reconnects gets only the changes since its last event', async () => {
  const before = await open({ key: app.keys.member })
  await app.parse('acme/widgets', { force: true })
  await before.sees('library', { id: '/acme/widgets', state: 'finalized' })
  await until(() => app.app.jobs.active().length === 0)
  const id = app.app.jobs.list(1, 1).jobs[0]?.id as number
  await before.sees('job', { id, state: 'done' })
  const lastId = before.lastId()
  before.close()
  const missed = await app.queue('acme/widgets', { force: true })
  await app.ended(missed)
  const again = await open({ key: app.keys.member, headers: { 'last-event-id': lastId } })
  await again.sees('job', { id: missed, state: 'done' })
  expect(again.events.some(({ data }) => data.id === id)).toBe(false)
  const byQuery = await open({ key: app.keys.member, query: `?lastEventId=${lastId}` })
  await byQuery.sees('job', { id: missed, state: 'done' })
})

test('a list of jobs names the event from which its changes can be followed', async () => {
  const { lastEventId } = (await app.call('GET', '/api/jobs')).body
  const id = await app.queue('acme/widgets', { force: true })
  await app.ended(id)
  const reader = await open({ key: app.keys.member, query: `?lastEventId=${lastEventId}` })
  await reader.sees('job', { id, state: 'done' })
})

test.each(['other-1', 'x', '-', 'constructor'])(
  'a client with the unknown last event "%s" gets a request to read everything again',
  async (lastId) => {
    const reader = await open({ key: app.keys.member, headers: { 'last-event-id': lastId } })
    await reader.sees('reset', {})
  },
)

test('anonymous callers see jobs without reports while names are open, and nothing after that', async () => {
  const reader = await open()
  await app.parse('acme/widgets', { force: true })
  expect((await reader.sees('job', { state: 'done' })).data.report).toBeNull()
  app.app.settings.change({ 'permissions.requireMcpAuth': true })
  await until(reader.ended)
  expect((await fetch(`${app.url}/api/events`)).status).toBe(401)
  app.app.settings.change({ 'permissions.requireMcpAuth': null })
})

test('the stream of a revoked key, an expired session or a signed-out session ends', async () => {
  const key = app.app.keys.create({ name: 'short', role: 'member' })
  const hash = await app.app.passwords.hash('a long password')
  app.app.users.create({ username: 'mia', role: 'member', hash })
  const pair = { username: 'mia', password: 'a long password' }
  const [out, ended] = [await signIn(app, pair), await signIn(app, pair)]
  const readers = [
    await open({ key: key.key }),
    await open({ headers: { cookie: out } }),
    await open({ headers: { cookie: ended } }),
  ]
  const anonymous = await open()
  expect(readers.map((reader) => reader.ended())).toEqual([false, false, false])
  app.app.keys.revoke(key.id)
  const signOut = { method: 'POST', headers: { cookie: out, origin: app.url } }
  expect((await app.ask('/api/auth/session/sign-out', signOut)).status).toBe(200)
  const db = openDatabase(app.dataDir)
  db.exec("UPDATE sessions SET expires_at = '2020-01-01T00:00:00.000Z'")
  db.close()
  await until(() => readers.every((reader) => reader.ended()))
  expect(anonymous.ended()).toBe(false)
})

test('a caller has a limited number of streams, and a closed one frees a place', async () => {
  const key = app.app.keys.create({ name: 'many', role: 'member' }).key
  const readers = await Promise.all(Array.from({ length: maxStreamsOfCaller }, () => open({ key })))
  const refused = await app.ask('/api/events', { key })
  expect([refused.status, await refused.json()]).toEqual([
    429,
    {
      error: 'rate_limit_exceeded',
      message: `You have ${maxStreamsOfCaller} event streams open, the maximum. Close one, or poll GET /api/jobs.`,
    },
  ])
  expect((await open({ key: app.keys.member })).status).toBe(200)
  for (let n = 0; n < 30; n++) expect((await app.ask('/api/events', { key: app.keys.admin, method: 'HEAD' })).status).toBe(200)
  readers[0]?.close()
  await until(async () => {
    const reader = await open({ key })
    return reader.status === 200
  })
})

test('anonymous callers of many addresses leave streams for keys and sessions', async () => {
  const addresses = Array.from({ length: 12 }, (_, n) => `198.51.100.${n}`)
  const crowd = addresses.flatMap((address) => Array.from({ length: maxStreamsOfCaller }, () => address))
  const statuses: number[] = []
  for (const address of crowd) statuses.push((await open({ headers: { 'x-forwarded-for': address } })).status)
  expect(statuses.filter((status) => status === 200)).toHaveLength(maxAnonymousStreams)
  expect((await open({ key: app.keys.member })).status).toBe(200)
})

test('the streams end when the server stops', async () => {
  const reader = await open({ key: app.keys.member })
  await app.stop()
  await until(reader.ended)
})
