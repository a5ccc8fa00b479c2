import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Teamspace } from '../../../functions/access/teamspaces.ts'
import { personVisit } from '../../fixtures/dashboard-visit.ts'
import { type TestDashboard, testDashboard } from '../../fixtures/test-dashboard.ts'
import { endVisits, type Visit } from '../../fixtures/web-visit.ts'

let dashboard: TestDashboard
let acme: Teamspace
let zeta: Teamspace
beforeAll(async () => {
  dashboard = await testDashboard()
  acme = await dashboard.teamspace('Acme', { ann: 'owner' })
  zeta = await dashboard.teamspace('Zeta', { ann: 'owner' })
})
afterAll(async () => {
  await endVisits()
  await dashboard.close()
})

const blockStorage = ({ context }: Visit) =>
  context.addInitScript(() => {
    const blocked = () => {
      throw new DOMException('Access is denied for this document.', 'SecurityError')
    }
    for (const name of ['localStorage', 'sessionStorage']) Object.defineProperty(window, name, { get: blocked })
  })

const pages = ['libraries', 'libraries/add', 'jobs', 'usage', 'connect', 'keys', 'members', 'export']
const settings = ['general', 'policies', 'rules', 'licenses', 'limits', 'audit-log', 'git-tokens', 'opt-outs']

test('every page of the dashboard works in a browser that blocks storage', async () => {
  const visit = await personVisit(dashboard, 'ann')
  await blockStorage(visit)
  const ofTeam = [...pages, ...settings.map((name) => `settings/${name}`)].map((path) => `/teamspaces/${acme.id}/${path}`)
  for (const path of ['/', '/account', '/teamspaces/new', ...ofTeam]) {
    await visit.open(path)
    await visit.page.getByRole('heading', { level: 1 }).first().waitFor()
  }
  // The page of exports needs a license.
  expect(visit.problems.filter((each) => !each.includes('403'))).toEqual([])
  await visit.close()
})

test('a browser that blocks storage keeps the chosen teamspace until the page is closed', async () => {
  const visit = await personVisit(dashboard, 'ann')
  await blockStorage(visit)
  const { page, open, problems, close } = visit
  await open(`/teamspaces/${acme.id}/libraries`)
  await page.getByRole('button', { name: 'Teamspace Acme' }).click()
  await page.getByRole('menuitem', { name: /^Zeta/ }).click()
  await page.waitForURL(new RegExp(`/teamspaces/${zeta.id}`))
  await page.getByRole('button', { name: 'Account of ann' }).click()
  await page.getByRole('menuitem', { name: 'Account' }).click()
  await page.waitForURL(/\/account$/)
  await page.getByRole('button', { name: 'Teamspace Zeta' }).waitFor()
  expect(problems).toEqual([])
  await close()
})
