import { afterAll, beforeAll, expect, test } from 'vitest'
import { createUser } from '../../fixtures/create-user.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'

const password = 'a long enough password'
let app: TestInstall
beforeAll(async () => {
  app = await testInstall()
  for (const username of ['ada', 'bob']) await createUser(app, { username, password })
})
afterAll(() => app.close())

async function signIn(username: string, agent: string): Promise<string> {
  const answer = await app.ask('/api/auth/session/sign-in/username', {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: app.url, 'user-agent': agent },
    body: JSON.stringify({ username, password }),
  })
  expect(answer.status).toBe(200)
  return answer.headers.getSetCookie()[0]?.split(';', 1)[0] ?? ''
}
const as = (cookie: string, method = 'GET', path = '/api/account/sessions') =>
  app.json(path, { method, headers: { cookie, origin: app.url } })
type Listed = { id: string; userAgent: string; current: boolean }
const sessionsOf = async (cookie: string) => ((await as(cookie)).body as { sessions: Listed[] }).sessions

test('a user sees only their own sessions, and ends one', async () => {
  const [laptop, phone, foreign] = [await signIn('ada', 'Laptop'), await signIn('ada', 'Phone'), await signIn('bob', 'Desk')]
  const listed = await sessionsOf(laptop)
  expect(listed.map(({ userAgent, current }) => [userAgent, current]).toSorted()).toEqual([
    ['Laptop', true],
    ['Phone', false],
  ])
  expect(JSON.stringify(listed)).not.toContain(decodeURIComponent(laptop).split('=')[1]?.split('.')[0])
  const other = listed.find(({ current }) => !current)?.id
  const [bobs] = await sessionsOf(foreign)
  expect((await as(laptop, 'DELETE', `/api/account/sessions/${bobs?.id}`)).status).toBe(404)
  expect((await as(laptop, 'DELETE', `/api/account/sessions/${other}`)).status).toBe(200)
  expect((await as(phone)).status).toBe(401)
  expect(await sessionsOf(laptop)).toHaveLength(1)
  expect(await sessionsOf(foreign)).toHaveLength(1)
})

test('a new password ends the other sessions', async () => {
  const [laptop, phone] = [await signIn('bob', 'Laptop'), await signIn('bob', 'Phone')]
  const changed = await app.ask('/api/account/credentials', {
    method: 'POST',
    headers: { cookie: laptop, origin: app.url, 'content-type': 'application/json' },
    body: JSON.stringify({ currentPassword: password, username: 'bob', password: `${password} two` }),
  })
  expect(changed.status).toBe(200)
  expect((await as(phone)).status).toBe(401)
  const renewed =
    changed.headers
      .getSetCookie()
      .findLast((each) => !/=;/.test(each))
      ?.split(';', 1)[0] ?? ''
  expect((await sessionsOf(renewed)).map(({ current }) => current)).toEqual([true])
})
