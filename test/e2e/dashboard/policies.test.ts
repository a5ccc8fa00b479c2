import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Teamspace } from '../../../functions/access/teamspaces.ts'
import { personVisit } from '../../fixtures/dashboard-visit.ts'
import { page as markdown } from '../../fixtures/page.ts'
import { type Person, type TestDashboard, testDashboard } from '../../fixtures/test-dashboard.ts'
import { endVisits } from '../../fixtures/web-visit.ts'

let dashboard: TestDashboard
let acme: Teamspace
let admin: Person
beforeAll(async () => {
  dashboard = await testDashboard()
  const { hosted } = dashboard
  acme = await dashboard.teamspace('Acme', { ann: 'owner', adam: 'admin', dave: 'developer' })
  admin = await dashboard.signIn('adam')
  for (const repo of ['acme/widgets', 'acme/gears']) {
    await hosted.git.create(repo, { files: { 'README.md': markdown('Guide', 'Turn the lever.') } })
    await hosted.add(repo)
  }
  await admin.ask('POST', at('libraries'), { repoUrl: 'acme/widgets' })
  const license = { customer: 'Acme', kind: 'online', teamspace: 'Acme' }
  await hosted.run('recordLicense', { ...license, id: 'office', expiresAt: '2099-01-01T00:00:00.000Z' })
  await hosted.run('recordLicense', { ...license, id: 'old-lab', kind: 'offline', expiresAt: '2020-01-01T00:00:00.000Z' })
})
afterAll(async () => {
  await endVisits()
  await dashboard.close()
})

const at = (path: string) => `/api/teamspaces/${acme.id}/${path}`
const settings = (page: string) => `/teamspaces/${acme.id}/settings/${page}`
/** The browser logs answers that reject a change. */
const unexpected = (problems: string[]) => problems.filter((each) => !/status of (400|412)/.test(each))

test('an admin sees how many libraries a change leaves, and a change in one browser is a conflict in another', async () => {
  const adam = await personVisit(dashboard, 'adam')
  const ann = await personVisit(dashboard, 'ann')
  await adam.open(settings('policies'))
  await ann.open(settings('policies'))
  await ann.page.getByText('2 libraries can be found with the keys of this teamspace.').waitFor()

  await adam.page.getByRole('radio', { name: 'Libraries that pass filters' }).click()
  await adam.page.getByRole('combobox', { name: 'Never found' }).fill('/acme/widgets')
  await adam.page.keyboard.press('Enter')
  await adam.page.getByText('After these changes: 1 library can be found.').waitFor()
  expect((await admin.ask('GET', at('policy'))).body).toMatchObject({ accessibleLibraryCount: 2 })
  await adam.inspect('policies-preview')
  await adam.page.getByRole('button', { name: 'Save policy' }).click()
  await adam.page.getByText('1 library can be found with the keys of this teamspace.').waitFor()

  await ann.page.getByRole('radio', { name: 'Listed libraries only' }).click()
  await ann.page.getByRole('combobox', { name: 'Allowed libraries' }).fill('/acme/gears')
  await ann.page.keyboard.press('Enter')
  await ann.page.getByRole('button', { name: 'Save policy' }).click()
  await ann.page.getByRole('alert').getByText('Libraries changed since this page was loaded').waitFor()
  await ann.inspect('policies-conflict')
  expect(await ann.page.getByRole('radio', { name: 'Listed libraries only' }).isChecked()).toBe(true)
  expect((await admin.ask('GET', at('policy'))).body).toMatchObject({ libraryFilters: { mode: 'quality' } })
  await ann.page.reload()
  await ann.page.getByText('1 library can be found with the keys of this teamspace.').waitFor()
  expect(unexpected([...adam.problems, ...ann.problems])).toEqual([])
})

test('the licenses are listed with their ends, and each has a policy of its own', async () => {
  const { page, open, inspect, problems } = await personVisit(dashboard, 'adam')
  await open(settings('licenses'))
  await page.getByRole('row', { name: /Online.*office.*Valid.*1 Jan 2099/ }).waitFor()
  await page.getByRole('row', { name: /Offline.*old-lab.*Expired.*1 Jan 2020/ }).waitFor()
  await inspect('licenses')
  await page.getByRole('link', { name: 'Policy of office' }).click()
  await page.waitForURL(/license=office/)
  await page.getByText('2 libraries can be reached with this license.').waitFor()
  await page.getByRole('switch', { name: 'Public repositories' }).click()
  await page.getByText('After these changes: 0 libraries can be found.').waitFor()
  await page.getByRole('button', { name: 'Save policy' }).click()
  await page.getByText('0 libraries can be reached with this license.').waitFor()
  await inspect('license-policy')
  await page.getByRole('link', { name: 'All licenses' }).click()
  await page.getByRole('row', { name: /office/ }).waitFor()
  await open(settings('licenses?license=none'))
  await page.getByText('The teamspace has no such license.').waitFor()
  expect(problems.filter((each) => !/status of 404/.test(each))).toEqual([])
})

test('rules are set for all libraries and for one, and errors name their line', async () => {
  const adam = await personVisit(dashboard, 'adam')
  const { page, open, inspect } = adam
  await open(settings('rules'))
  const all = page.getByRole('textbox', { name: 'For all libraries' })
  await all.fill(`Be brief.\n\n${'x'.repeat(300)}`)
  await page.getByRole('button', { name: 'Save rules' }).click()
  await page.getByText('Line 3: must not be longer than 255 characters').waitFor()
  await inspect('rules-error')
  await all.fill('Be brief.\n\nUse version 3.')
  await page.getByRole('button', { name: 'Save rules' }).click()
  await page.getByText('2 of 50 rules').waitFor()
  await expect.poll(() => all.inputValue()).toBe('Be brief.\nUse version 3.')

  await page.getByRole('button', { name: 'Add rules for a library' }).click()
  await page.getByRole('combobox', { name: 'Library' }).click()
  await page.getByRole('option', { name: '/acme/widgets' }).click()
  await page.getByRole('textbox', { name: 'Rules' }).fill('Only blue widgets.')
  await inspect('rules-dialog')
  await page.getByRole('dialog').getByRole('button', { name: 'Save rules' }).click()
  await page.getByRole('cell', { name: '/acme/widgets Only blue widgets.' }).waitFor()
  await page.getByText('1 of 200 libraries').waitFor()
  await inspect('rules')
  const rules = { global: ['Be brief.', 'Use version 3.'], libraries: { '/acme/widgets': ['Only blue widgets.'] } }
  expect((await admin.ask('GET', at('rules'))).body).toEqual(rules)

  await page.getByRole('button', { name: 'Add rules for a library' }).click()
  await page.getByRole('combobox', { name: 'Library' }).fill('/acme/none')
  await page.getByRole('textbox', { name: 'Rules' }).fill('Kept after an error.')
  await page.getByRole('dialog').getByRole('button', { name: 'Save rules' }).click()
  await page.getByRole('alert').getByText('There is no /acme/none here').waitFor()
  expect(await page.getByRole('textbox', { name: 'Rules' }).inputValue()).toBe('Kept after an error.')
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()

  await page.getByRole('button', { name: 'Edit the rules for /acme/widgets' }).click()
  await page.getByRole('textbox', { name: 'Rules' }).fill('Only red widgets.')
  await admin.ask('PUT', at('rules/acme/widgets'), { rules: ['Only green widgets.'] })
  await page.getByRole('dialog').getByRole('button', { name: 'Save rules' }).click()
  await page.getByRole('alert').getByText('The rules for /acme/widgets changed since this page was loaded').waitFor()
  expect((await admin.ask('GET', at('rules'))).body).toMatchObject({ libraries: { '/acme/widgets': ['Only green widgets.'] } })
  expect(adam.problems.filter((each) => !/status of (400|404|412)/.test(each))).toEqual([])
})

test('a developer reads policies and rules without a button that changes them', async () => {
  const { page, open, inspect, problems } = await personVisit(dashboard, 'dave')
  await open(settings('policies'))
  await page.getByText('Only admins and owners of the teamspace can change this policy.').waitFor()
  expect(await page.getByRole('switch', { name: 'Websites' }).isDisabled()).toBe(true)
  expect(await page.getByRole('button', { name: 'Save policy' }).count()).toBe(0)
  await inspect('policies-read-only')
  await open(settings('rules'))
  await page.getByText('Only admins and owners of the teamspace can change rules.').waitFor()
  expect(await page.getByRole('textbox', { name: 'For all libraries' }).inputValue()).toContain('Be brief.')
  expect(await page.getByRole('button', { name: /Save rules|Add rules|Edit|Remove/ }).count()).toBe(0)
  await inspect('rules-read-only')
  expect(problems).toEqual([])
})
