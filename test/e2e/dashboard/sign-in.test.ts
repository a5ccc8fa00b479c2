import { afterAll, beforeAll, expect, test } from 'vitest'
import { signInAs, strangerVisit } from '../../fixtures/dashboard-visit.ts'
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

const unexpected = (problems: string[]) => problems.filter((each) => !/status of 401/.test(each))

test('a person signs in at the issuer, returns to the page, and signs out', async () => {
  const { page, open, inspect, problems, close } = await strangerVisit(dashboard)
  await open('/account')
  await page.getByRole('heading', { name: 'Sign in to Carrel' }).waitFor()
  await inspect('sign-in')
  await signInAs(page, 'owner')
  await page.getByRole('heading', { name: 'Account' }).waitFor()
  expect(new URL(page.url()).pathname).toBe('/account')
  await page.getByRole('button', { name: 'Account of owner' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByText('You are signed out.').waitFor()
  await open('/account')
  await page.getByRole('heading', { name: 'Sign in to Carrel' }).waitFor()
  expect(unexpected(problems)).toEqual([])
  await close()
})
