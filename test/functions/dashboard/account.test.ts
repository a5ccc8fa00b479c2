import { afterAll, beforeAll, expect, test } from 'vitest'
import type { AccountData } from '../../../functions/dashboard/queries/account-data.ts'
import { type TestDashboard, testDashboard } from '../../fixtures/test-dashboard.ts'

let dashboard: TestDashboard
beforeAll(async () => {
  dashboard = await testDashboard()
})
afterAll(() => dashboard.close())

test('a person downloads what is stored about them, and nothing about others', async () => {
  const { id } = await dashboard.teamspace('Download', { dora: 'admin', other: 'owner' })
  const [dora, other] = [await dashboard.signIn('dora'), await dashboard.signIn('other')]
  const key = await dora.ask<{ key: string }>('POST', `/api/teamspaces/${id}/keys`, { name: 'of Dora' })
  await other.ask('POST', `/api/teamspaces/${id}/keys`, { name: 'of another' })
  await dora.ask('POST', `/api/teamspaces/${id}/invites`, { email: 'guest@example.com', role: 'developer' })
  const response = await dora.send('GET', '/api/account/data')
  expect(response.headers.get('content-disposition')).toBe('attachment; filename="carrel-account.json"')
  const text = await response.text()
  expect(JSON.parse(text) as AccountData).toMatchObject({
    user: { id: dora.user.id, email: 'dora@example.com', name: 'dora' },
    sessions: [{ agent: 'test' }],
    teamspaces: [
      {
        name: 'Download',
        role: 'admin',
        keys: [{ name: 'of Dora' }],
        invites: [{ email: 'guest@example.com' }],
        audit: [{ who: `user ${dora.user.id}` }, { what: 'createKey' }],
      },
    ],
  })
  for (const secret of [key.body.key, dora.cookie.split('=')[1] ?? '', other.user.id, 'other@example.com', 'of another'])
    expect(text).not.toContain(secret)
})

test('a deleted account has no sessions, keys, memberships and address, and its audit entries have only its id', async () => {
  const { hosted } = dashboard.hosted
  const team = await dashboard.teamspace('Deleting', { dan: 'owner', olga: 'owner' })
  const [dan, elsewhere, olga] = [await dashboard.signIn('dan'), await dashboard.signIn('dan'), await dashboard.signIn('olga')]
  const { body } = await dan.ask<{ key: string }>('POST', `/api/teamspaces/${team.id}/keys`, { name: 'key' })
  expect(await dan.ask('DELETE', '/api/account', { email: 'olga@example.com' })).toMatchObject({ status: 400 })
  expect(await dan.ask('DELETE', '/api/account', { email: 'Dan@example.com' })).toMatchObject({ status: 200 })
  for (const browser of [dan, elsewhere]) expect(await browser.ask('GET', '/api/session')).toMatchObject({ status: 401 })
  const search = await dashboard.hosted.get('/api/v2/libs/search?libraryName=x', { authorization: `Bearer ${body.key}` })
  expect(search.status).toBe(401)
  const members = await olga.ask<{ members: { name: string }[] }>('GET', `/api/teamspaces/${team.id}/members`)
  expect(members.body.members.map(({ name }) => name)).toEqual(['olga'])
  const audit = JSON.stringify((await olga.ask('GET', `/api/teamspaces/${team.id}/audit`)).body)
  expect(audit).toContain(`user ${dan.user.id}`)
  expect(audit).not.toContain('dan@example.com')
  const again = { issuer: 'https://elsewhere.example.com', sub: 'new', email: 'dan@example.com', name: 'Another Dan' }
  expect((await hosted.users.signIn(again)).id).not.toBe(dan.user.id)
})

test('the last owner of a teamspace deletes no account, and nothing of it changes', async () => {
  const alone = await dashboard.teamspace('Alone', { lea: 'owner', max: 'admin' })
  await dashboard.teamspace('Shared', { lea: 'developer', max: 'owner' })
  const lea = await dashboard.signIn('lea')
  const refused = await lea.ask('DELETE', '/api/account', { email: 'lea@example.com' })
  expect(refused).toMatchObject({ status: 400, body: { message: expect.stringContaining('the last owner of Alone.') } })
  expect((await lea.ask('GET', '/api/session')).body).toMatchObject({ teamspaces: [{ name: 'Alone' }, { name: 'Shared' }] })
  const max = (await dashboard.signIn('max')).user.id
  await lea.ask('PATCH', `/api/teamspaces/${alone.id}/members/${max}`, { role: 'owner' })
  expect(await lea.ask('DELETE', '/api/account', { email: 'lea@example.com' })).toMatchObject({ status: 200 })
})

test('a person who has deleted the account signs in as a new one without teamspaces', async () => {
  await dashboard.teamspace('Return', { rita: 'developer', boss: 'owner' })
  const rita = await dashboard.signIn('rita')
  await rita.ask('DELETE', '/api/account', { email: 'rita@example.com' })
  expect((await (await dashboard.signIn('rita')).ask('GET', '/api/session')).body).toMatchObject({ teamspaces: [] })
})
