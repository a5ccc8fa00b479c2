import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { rateLimits } from '../../../functions/access/rate-limits.ts'
import { defaultRequestLimits } from '../../../shared/settings/request-limits.ts'
import { personVisit } from '../../fixtures/dashboard-visit.ts'
import { type TestDashboard, testDashboard } from '../../fixtures/test-dashboard.ts'
import { endVisits } from '../../fixtures/web-visit.ts'

let dashboard: TestDashboard
beforeAll(async () => {
  dashboard = await testDashboard()
})
afterAll(async () => {
  await endVisits()
  await dashboard.close()
})

test('an admin reads in the audit log who changed what, and filters it by the address', async () => {
  const { id } = await dashboard.teamspace('Logged', { adam: 'admin', olga: 'owner', dave: 'developer' })
  const [adam, olga, dave] = [await dashboard.signIn('adam'), await dashboard.signIn('olga'), await dashboard.signIn('dave')]
  const path = `/api/teamspaces/${id}`
  await adam.send('PATCH', `${path}/members/${dave.user.id}`, { role: 'admin' })
  await olga.send('POST', `${path}/keys`, { name: 'ci', role: 'developer' })
  await olga.send('PATCH', path, { name: 'Logged again' })
  await dave.send('POST', `${path}/leave`, { name: 'Logged again' })
  await dashboard.hosted.run('setPlan', { name: 'Logged again', plan: 'enterprise' })
  const { page, open, inspect, problems } = await personVisit(dashboard, 'adam')
  await open(`/teamspaces/${id}/settings/audit-log`)
  for (const words of [
    /changed the plan team → enterprise$/,
    /^a former member left \(role: admin\)$/,
    /^olga renamed the teamspace Logged → Logged again$/,
    /^olga created the key ci \(role: developer, scope: read\)$/,
    /^adam changed the role of a former member \(role: developer → admin\)$/,
  ])
    await page.getByRole('cell', { name: words }).waitFor()
  await inspect('settings-audit-log')
  await page.getByRole('textbox', { name: 'Filter changes' }).fill('olga')
  await page.getByRole('cell', { name: /^adam/ }).waitFor({ state: 'detached' })
  expect(new URL(page.url()).searchParams.get('q')).toBe('olga')
  await page.reload()
  await page.getByRole('cell', { name: /^olga created/ }).waitFor()
  expect(await page.getByRole('cell', { name: /^adam/ }).count()).toBe(0)
  await page.getByRole('textbox', { name: 'Filter changes' }).fill('nothing')
  await page.getByRole('heading', { name: 'Nothing matches “nothing”' }).waitFor()
  expect(problems).toEqual([])
})

test('a developer who opens the audit log reads that it is for admins', async () => {
  const { id } = await dashboard.teamspace('Closed', { olga: 'owner', dave: 'developer' })
  const { page, open, problems } = await personVisit(dashboard, 'dave')
  await open(`/teamspaces/${id}/settings/audit-log`)
  await page.getByText('Only admins and owners of Closed can open this page').waitFor()
  expect(await page.title()).toBe('Audit log · Settings · Carrel')
  expect(problems).toEqual([])
})

test('an admin sees what is used of the limits and asks for a plan, which a developer reads without a form', async () => {
  const { id } = await dashboard.teamspace('Limited', { adam: 'admin', dave: 'developer' })
  const { hosted } = dashboard.hosted
  // One machine has no limits.
  const limits = rateLimits({ ...hosted, limits: defaultRequestLimits, counts: hosted.requestCounts, now: () => new Date() })
  await limits.add({ kind: 'teamspace', teamspace: id, keyId: 'k', role: 'admin', scope: 'admin' }, async () => undefined)
  const spy = vi.spyOn(hosted.rateLimits, 'ofTeamspace').mockImplementation(limits.ofTeamspace)
  onTestFinished(() => spy.mockRestore())
  const path = `/teamspaces/${id}/settings/limits`
  const { page, open, inspect, problems } = await personVisit(dashboard, 'adam')
  await open(path)
  await page.getByRole('row', { name: /Libraries added or refreshed today.* 1 50$/ }).waitFor()
  await page.getByRole('radio', { name: /^Enterprise/ }).check()
  await page.getByRole('textbox', { name: 'E-mail address for the answer' }).fill('adam')
  await page.getByRole('textbox', { name: 'Message' }).fill('Fifty people,\ntwo sites.')
  await page.getByRole('button', { name: 'Ask for this plan' }).click()
  await page.getByText('Invalid email address').waitFor()
  expect(await page.getByRole('textbox', { name: 'Message' }).inputValue()).toBe('Fifty people,\ntwo sites.')
  await page.getByRole('textbox', { name: 'E-mail address for the answer' }).fill('boss@example.com')
  await page.getByRole('button', { name: 'Ask for this plan' }).click()
  await page.getByText(/^adam asked for the plan Enterprise .*boss@example\.com\.$/).waitFor()
  await inspect('settings-limits')
  expect(problems.filter((problem) => !problem.includes('400'))).toEqual([])

  const dave = await personVisit(dashboard, 'dave')
  await dave.open(path)
  await dave.page.getByText(/^adam asked for the plan Enterprise/).waitFor()
  expect(await dave.page.getByRole('button', { name: 'Ask for this plan' }).count()).toBe(0)
  await dave.inspect('settings-limits-developer')
})
