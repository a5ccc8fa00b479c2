import { afterAll, beforeAll, expect, test } from 'vitest'
import { rateLimits } from '../../../functions/access/rate-limits.ts'
import { defaultRequestLimits } from '../../../shared/settings/request-limits.ts'
import { type TestDashboard, testDashboard } from '../../fixtures/test-dashboard.ts'

let dashboard: TestDashboard
beforeAll(async () => {
  dashboard = await testDashboard()
})
afterAll(() => dashboard.close())

test('the limits of a plan are listed with what the teamspace has used of them today', async () => {
  const { id } = await dashboard.teamspace('Counted', { ann: 'owner' })
  const { hosted } = dashboard.hosted
  const now = () => new Date('2030-06-01T12:00:00Z')
  const limits = rateLimits({ ...hosted, limits: defaultRequestLimits, counts: hosted.requestCounts, now })
  const caller = { kind: 'teamspace', teamspace: id, keyId: 'k', role: 'admin', scope: 'admin' } as const
  for (let i = 0; i < 3; i++) await limits.request(caller, '')
  await limits.add(caller, async () => undefined)
  const resetsAt = '2030-06-02T00:00:00.000Z'
  expect(await limits.ofTeamspace(id, 'team')).toEqual([
    { name: 'requestsPerDay', max: 10_000, used: 3, resetsAt },
    { name: 'requestsPerMinuteAndKey', max: 3_000, used: null, resetsAt: null },
    { name: 'addsPerDay', max: 50, used: 1, resetsAt },
  ])
  const none = { max: null, used: null, resetsAt: null }
  expect(await limits.ofTeamspace(id, 'enterprise')).toMatchObject([none, none, none])
  expect(await limits.ofTeamspace('another', 'team')).toMatchObject([{ used: 0 }, {}, { used: 0 }])
})

test('an admin asks for a plan, members see that, and the command of the operator sets it and ends the request', async () => {
  const { id } = await dashboard.teamspace('Growing', { adam: 'admin', dave: 'developer', olga: 'owner' })
  const [adam, dave] = [await dashboard.signIn('adam'), await dashboard.signIn('dave')]
  const path = `/api/teamspaces/${id}`
  const wish = { plan: 'enterprise', message: 'Fifty people.', contact: 'adam@example.com' }
  expect(await adam.ask('POST', `${path}/plan-request`, { ...wish, plan: 'free' })).toMatchObject({ status: 202 })
  expect(await adam.ask('POST', `${path}/plan-request`, wish)).toMatchObject({ status: 202, body: wish })
  expect((await dave.ask('GET', `${path}/limits`)).body).toMatchObject({ plan: 'team', planRequest: wish })
  expect(await dashboard.hosted.run('listPlanRequests', {})).toMatchObject([{ teamspace: 'Growing', ...wish }])
  await dashboard.hosted.run('setPlan', { name: 'Growing', plan: 'enterprise' })
  expect((await dave.ask('GET', `${path}/limits`)).body).toMatchObject({ plan: 'enterprise', planRequest: null })
  await expect(dashboard.hosted.run('setPlan', { name: 'Growing', plan: 'golden' })).rejects.toThrow('validation_error')
})

test.each([
  ['another plan', { plan: 'golden', contact: 'a@example.com' }],
  ['no address', { plan: 'team', contact: 'adam' }],
  ['an unknown field', { plan: 'team', contact: 'a@example.com', price: 0 }],
  ['a long message', { plan: 'team', contact: 'a@example.com', message: 'x'.repeat(3_000) }],
])('a request for a plan with %s is rejected', async (what, body) => {
  const { id } = await dashboard.teamspace(`Rejecting ${what}`, { rob: 'admin' })
  const rob = await dashboard.signIn('rob')
  expect(await rob.ask('POST', `/api/teamspaces/${id}/plan-request`, body)).toMatchObject({ status: 400 })
})

test('a person may ask for five plans a day', async () => {
  const { id } = await dashboard.teamspace('Asking', { eve: 'admin' })
  const eve = await dashboard.signIn('eve')
  const ask = async () =>
    (await eve.ask('POST', `/api/teamspaces/${id}/plan-request`, { plan: 'team', contact: 'eve@example.com' })).status
  const statuses: number[] = []
  for (let i = 0; i < 6; i++) statuses.push(await ask())
  expect(statuses).toEqual([202, 202, 202, 202, 202, 429])
})

test('the request for a plan ends with the account of the person who made it', async () => {
  const { id } = await dashboard.teamspace('Leaving', { pia: 'admin', paul: 'owner' })
  const pia = await dashboard.signIn('pia')
  await pia.ask('POST', `/api/teamspaces/${id}/plan-request`, { plan: 'team', contact: 'pia@example.com' })
  await pia.ask('DELETE', '/api/account', { email: 'pia@example.com' })
  expect(await dashboard.hosted.hosted.planRequests.find(id)).toBeUndefined()
})
