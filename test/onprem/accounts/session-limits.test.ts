import type { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openDatabase } from '../../../shared/store/database.ts'
import { createUser } from '../../fixtures/create-user.ts'
import { eventReader } from '../../fixtures/event-reader.ts'
import { signIn } from '../../fixtures/sign-in.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'
import { until } from '../../fixtures/until.ts'

const pair = { username: 'ada', password: 'a long enough password' }
const hourMs = 3_600_000
let app: TestInstall
let db: DatabaseSync
let id: string
let cookie: string
beforeAll(async () => {
  app = await testInstall()
  db = openDatabase(app.dataDir)
  id = await createUser(app, pair)
})
afterAll(async () => {
  db.close()
  await app.close()
})
beforeEach(async () => {
  app.app.settings.change({ 'sessions.absoluteHours': null, 'sessions.idleHours': null })
  app.app.users.endSessionsOf(id)
  cookie = await signIn(app, pair)
})

const ago = (hours: number) => new Date(Date.now() - hours * hourMs).toISOString()
const set = (column: 'created_at' | 'updated_at', hours: number) => db.exec(`UPDATE sessions SET ${column} = '${ago(hours)}'`)
const status = async () => (await app.ask('/api/account/sessions', { headers: { cookie } })).status
const lastUsed = () => Date.parse(String(db.prepare('SELECT updated_at FROM sessions').get()?.updated_at))

test('a session of eight days that is in use stays valid by default', async () => {
  set('created_at', 8 * 24)
  expect(await status()).toBe(200)
})

test('a session ends at its absolute limit, however it is used', async () => {
  app.app.settings.change({ 'sessions.absoluteHours': 12 })
  set('created_at', 11.9)
  expect(await status()).toBe(200)
  set('created_at', 12.1)
  expect(await status()).toBe(401)
  expect(app.app.users.sessions(id)).toEqual([])
})

test('a session says that it ends at its absolute limit', async () => {
  app.app.settings.change({ 'sessions.absoluteHours': 12 })
  const { body } = await app.json('/api/auth/session/get-session', { headers: { cookie } })
  const { expiresAt } = body as { expiresAt: string }
  expect(Math.abs(Date.parse(expiresAt) - Date.now() - 12 * hourMs)).toBeLessThan(60_000)
})

test('a session that is not used ends, and a use begins the time again', async () => {
  app.app.settings.change({ 'sessions.idleHours': 2 })
  set('updated_at', 1.9)
  expect(await status()).toBe(200)
  expect(Date.now() - lastUsed()).toBeLessThan(60_000)
  set('updated_at', 2.1)
  expect(await status()).toBe(401)
})

test('a use is not stored again within a short part of the limit', async () => {
  app.app.settings.change({ 'sessions.idleHours': 2 })
  set('updated_at', 0.05)
  const before = lastUsed()
  expect(await status()).toBe(200)
  expect(lastUsed()).toBe(before)
})

test('a stream of events does not count as use, and ends with the session', async () => {
  app.app.settings.change({ 'permissions.requireMcpAuth': true, 'sessions.idleHours': 2 })
  const events = await eventReader(app, { headers: { cookie } })
  set('updated_at', 1)
  const before = lastUsed()
  app.app.agents.note('claude')
  await events.sees('agent', {})
  expect(lastUsed()).toBe(before)
  set('updated_at', 2.1)
  await until(() => events.ended())
  events.close()
  app.app.settings.change({ 'permissions.requireMcpAuth': null })
})

test('sessions that nobody uses are removed from the list', () => {
  app.app.users.endOldSessions({ absoluteMs: Number.POSITIVE_INFINITY, idleMs: hourMs })
  expect(app.app.users.sessions(id)).toHaveLength(1)
  set('updated_at', 1.1)
  app.app.users.endOldSessions({ absoluteMs: Number.POSITIVE_INFINITY, idleMs: hourMs })
  expect(app.app.users.sessions(id)).toEqual([])
})

test('an admin ends all sessions of a user', async () => {
  expect(await app.call('DELETE', `/api/users/${id}/sessions`)).toEqual({
    status: 200,
    body: { message: 'ada is signed out everywhere.' },
  })
  expect(await status()).toBe(401)
})
