import { afterAll, beforeAll, expect, test } from 'vitest'
import { personVisit } from '../../fixtures/dashboard-visit.ts'
import { type TestDashboard, testDashboard } from '../../fixtures/test-dashboard.ts'
import { endVisits } from '../../fixtures/web-visit.ts'

let dashboard: TestDashboard
beforeAll(async () => {
  dashboard = await testDashboard()
  await dashboard.teamspace('Acme', { ann: 'owner' })
})
afterAll(async () => {
  await endVisits()
  await dashboard.close()
})

test('the help menu of the dashboard opens the documentation, the API of the service and the changelog', async () => {
  const { page, open, inspect, problems, close } = await personVisit(dashboard, 'ann')
  await open('/account')
  const choose = async (name: string) => {
    await page.getByRole('button', { name: 'Help' }).click()
    await page.getByRole('menuitem', { name }).click()
  }
  await choose('Documentation')
  await page.getByRole('heading', { name: 'Operators' }).waitFor()
  await page.getByRole('textbox', { name: 'Search the documentation' }).fill('teamspace invitation')
  await page.getByText(/^\d+ sections?$/).waitFor()
  await inspect('dashboard-help')
  await choose('API reference')
  await page.getByRole('heading', { name: 'API reference', level: 1 }).waitFor()
  await page.getByText('/api/v2/context', { exact: false }).first().waitFor()
  await choose('Version and changelog')
  await page.getByText(/^This is version \d+\.\d+\.\d+$/).waitFor()
  // The server gives the page also to a browser that begins there.
  await open('/api-reference')
  await page.getByRole('heading', { name: 'API reference', level: 1 }).waitFor()
  expect(problems).toEqual([])
  await close()
})
