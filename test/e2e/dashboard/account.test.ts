import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
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

test('a person sees and ends their sessions', async () => {
  const others = await Promise.all([1, 2].map(() => dashboard.signIn('ada')))
  const { page, open, inspect, problems, close } = await personVisit(dashboard, 'ada')
  await open('/account')
  await page.getByText('This browser').waitFor()
  await inspect('account')
  const ends = page.getByRole('button', { name: 'End session' })
  expect(await ends.count()).toBe(2)
  await ends.first().click()
  await expect.poll(() => ends.count()).toBe(1)
  const open_ = await Promise.all(others.map(({ ask }) => ask('GET', '/api/session')))
  expect(open_.map(({ status }) => status).sort()).toEqual([200, 401])
  await page.getByRole('button', { name: 'End all sessions' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'End all sessions' }).click()
  await page.getByText('All your sessions have ended.').waitFor()
  expect(problems).toEqual([])
  await close()
})

test('a person downloads what is stored about them', async () => {
  const { page, open, close } = await personVisit(dashboard, 'ben')
  await open('/account')
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download my data' }).click(),
  ])
  expect(download.suggestedFilename()).toBe('carrel-account.json')
  const stored = JSON.parse(readFileSync(await download.path(), 'utf8'))
  expect(stored).toMatchObject({ user: { email: 'ben@example.com' }, teamspaces: [] })
  await close()
})

test('the last owner of a teamspace is told why the account stays, and deletes it afterwards', async () => {
  const acme = await dashboard.teamspace('Acme', { cleo: 'owner' })
  const { page, open, inspect, close } = await personVisit(dashboard, 'cleo')
  await open('/account')
  await page.getByRole('button', { name: 'Delete account' }).click()
  const dialog = page.getByRole('dialog')
  const confirm = dialog.getByRole('button', { name: 'Delete account' })
  await dialog.getByLabel('Type cleo@example.com to confirm').fill('cleo@example.org')
  expect(await confirm.isDisabled()).toBe(true)
  await dialog.getByLabel('Type cleo@example.com to confirm').fill('cleo@example.com')
  await confirm.click()
  await dialog.getByText('You are the last owner of Acme.').waitFor()
  await inspect('delete-account')
  const { user } = await dashboard.signIn('dan')
  await dashboard.hosted.hosted.teamspaces.addMember(acme.id, user.id, 'owner')
  await confirm.click()
  await page.getByText('Your account is deleted.').waitFor()
  await close()
})
