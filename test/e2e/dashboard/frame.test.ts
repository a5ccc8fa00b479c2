import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Teamspace } from '../../../functions/access/teamspaces.ts'
import { personVisit } from '../../fixtures/dashboard-visit.ts'
import { type TestDashboard, testDashboard } from '../../fixtures/test-dashboard.ts'
import { endVisits } from '../../fixtures/web-visit.ts'

let dashboard: TestDashboard
let acme: Teamspace
let long: Teamspace
beforeAll(async () => {
  dashboard = await testDashboard()
  acme = await dashboard.teamspace('Acme', { ann: 'owner', dev: 'developer' })
  long = await dashboard.teamspace('Zeta department of documentation and quite long names', { ann: 'developer' })
})
afterAll(async () => {
  await endVisits()
  await dashboard.close()
})

test('a member changes to another teamspace, which opens again on the next visit', async () => {
  const { page, open, inspect, problems, close } = await personVisit(dashboard, 'ann')
  await open('/')
  await page.getByRole('button', { name: 'Teamspace Acme' }).click()
  await page.getByRole('menuitem', { name: /^Zeta/ }).waitFor()
  await inspect('teamspaces')
  await page.getByRole('menuitem', { name: /^Zeta/ }).click()
  await page.waitForURL(new RegExp(`/teamspaces/${long.id}`))
  await open('/')
  await page.waitForURL(new RegExp(`/teamspaces/${long.id}`))
  await page.getByRole('button', { name: `Teamspace ${long.name}` }).waitFor()
  expect(problems).toEqual([])
  await close()
})

test('a teamspace of others looks like one that does not exist', async () => {
  const { page, open, inspect, close } = await personVisit(dashboard, 'dev')
  for (const id of [long.id, acme.id.replace(/^./, (first) => (first === '0' ? '1' : '0')), 'nothing']) {
    await open(`/teamspaces/${id}/members`)
    await page.getByText('There is no such teamspace, or you are not a member of it').waitFor()
  }
  await inspect('unknown-teamspace')
  await page.getByRole('link', { name: 'Show my libraries' }).click()
  await page.waitForURL(new RegExp(`/teamspaces/${acme.id}`))
  await close()
})

test('somebody who has become a member meanwhile opens the teamspace', async () => {
  const { page, open, close } = await personVisit(dashboard, 'eve')
  await open('/account')
  await page.getByRole('button', { name: 'Teamspace', exact: true }).waitFor()
  const { user } = await dashboard.signIn('eve')
  await dashboard.hosted.hosted.teamspaces.addMember(acme.id, user.id, 'developer')
  await page.evaluate(`history.pushState(null, '', '/teamspaces/${acme.id}'); dispatchEvent(new PopStateEvent('popstate'))`)
  await page.getByRole('button', { name: 'Teamspace Acme' }).waitFor()
  await close()
})

test('the palette opens another teamspace', async () => {
  const { page, open, close } = await personVisit(dashboard, 'ann')
  await open(`/teamspaces/${acme.id}`)
  await page.getByRole('button', { name: 'Search pages and libraries' }).click()
  await page.getByRole('combobox', { name: 'Search', exact: true }).fill('zeta')
  await page.getByRole('option', { name: /^Zeta/ }).click()
  await page.waitForURL(new RegExp(`/teamspaces/${long.id}`))
  await close()
})

test('a phone has the teamspace and four entries in its bar, and the others in a sheet', async () => {
  const { page, open, inspect, problems, close } = await personVisit(dashboard, 'ann')
  await page.setViewportSize({ width: 390, height: 844 })
  await open(`/teamspaces/${acme.id}/usage`)
  const bar = page.getByRole('complementary')
  await bar.getByRole('button', { name: 'More pages' }).waitFor()
  const labels = await bar.getByRole('link').or(bar.getByRole('button')).allInnerTexts()
  expect(labels.slice(1)).toEqual(['Libraries', 'Jobs', 'Search', 'More'])
  await bar.getByRole('button', { name: 'More pages' }).click()
  const sheet = page.getByRole('dialog', { name: 'More' })
  await sheet.getByRole('link', { name: 'Members' }).waitFor()
  await inspect('dashboard-sheet')
  await page.setViewportSize({ width: 390, height: 844 })
  await sheet.getByRole('link', { name: 'API keys' }).click()
  await page.getByRole('heading', { name: 'API keys', exact: true }).waitFor()
  await inspect('dashboard-keys')
  expect(problems).toEqual([])
  await close()
})

test('the palette of a teamspace makes a key, lists the shortcuts, and changes the theme', async () => {
  const { page, open, problems, close } = await personVisit(dashboard, 'ann')
  await open(`/teamspaces/${acme.id}`)
  const run = async (action: string) => {
    await page.getByRole('button', { name: 'Search pages and libraries' }).click()
    await page.getByRole('combobox', { name: 'Search', exact: true }).fill(action)
    await page.getByRole('option', { name: action, exact: true }).click()
  }
  await run('New API key')
  await page.getByRole('dialog', { name: 'New key' }).getByLabel('Name').fill('laptop')
  await page.getByRole('button', { name: 'Create key' }).click()
  await page.getByRole('dialog', { name: 'Copy your key' }).waitFor()
  await page.getByRole('button', { name: 'Done' }).click()
  await run('Keyboard shortcuts')
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
  await page.keyboard.press('Escape')
  await run('Dark theme')
  await page.locator('html[data-mantine-color-scheme="dark"]').waitFor()
  expect(problems).toEqual([])
  await close()
})
