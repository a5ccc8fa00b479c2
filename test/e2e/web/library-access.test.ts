import { afterAll, beforeAll, expect, test } from 'vitest'
import { page as markdown } from '../../fixtures/page.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'
import { adminVisit, endVisits, memberVisit } from '../../fixtures/web-visit.ts'

let install: TestInstall
beforeAll(async () => {
  install = await testInstall()
  for (const repo of ['acme/open', 'payments/ledger']) {
    await install.git.create(repo, { files: { 'README.md': markdown('Guide', `How ${repo} works.`) } })
    await install.parse(repo)
  }
})
afterAll(async () => {
  await endVisits()
  await install.close()
})

test('an admin gives a library to a group, and only its members see it', async () => {
  const mia = await memberVisit(install, 'mia')
  await mia.open('/libraries')
  await mia.page.getByText('payments/ledger').first().waitFor()

  const { page, open, inspect, problems, close } = await adminVisit(install)
  await open('/settings/library-access')
  await page.getByText('There are no groups.').waitFor()
  await inspect('library-access-empty')
  await page.getByRole('button', { name: 'Add group' }).click()
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('payments')
  await page.getByRole('button', { name: 'Add group' }).last().click()
  await page.getByRole('row', { name: /payments/ }).waitFor()

  await page.getByRole('button', { name: 'Add rule' }).click()
  await page.getByRole('textbox', { name: 'Libraries' }).fill('payments/*')
  await page.getByRole('combobox', { name: 'Groups' }).click()
  await page.getByRole('option', { name: 'payments' }).click()
  await page.keyboard.press('Escape')
  await inspect('library-rule-form')
  await page.getByRole('button', { name: 'Store rule' }).click()
  await page.getByText('must be /owner/repo').waitFor()
  await page.getByRole('textbox', { name: 'Libraries' }).fill('/payments/*')
  await page.getByRole('button', { name: 'Store rule' }).click()
  await page.getByRole('row', { name: /payments\/\* Only group payments, admins/ }).waitFor()
  await inspect('library-access')

  await mia.open('/libraries')
  await mia.page.getByText('acme/open').first().waitFor()
  expect(await mia.page.getByText('payments/ledger').count()).toBe(0)
  await mia.open('/libraries/payments/ledger')
  await mia.page.getByText('/payments/ledger is not in this install.').waitFor()

  await page.getByRole('button', { name: 'Change the members of payments' }).click()
  await page.getByRole('combobox', { name: 'Members' }).click()
  await page.getByRole('option', { name: 'mia' }).click()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Store members' }).click()
  await page.getByRole('row', { name: /^payments 1/ }).waitFor()
  await mia.open('/libraries/payments/ledger')
  await mia.page.getByText('How payments/ledger works.').first().waitFor()

  await page.getByRole('button', { name: 'Remove rule' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove rule' }).click()
  await page.getByText('Rule removed.').waitFor()
  expect(problems.filter((each) => !each.includes('400'))).toEqual([])
  await close()
  await mia.close()
})

test('a member makes a key that only reads some libraries', async () => {
  const { page, open, inspect, problems, close } = await memberVisit(install, 'otto')
  await open('/account')
  await page.getByRole('button', { name: 'New key' }).click()
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('ci')
  await page.getByRole('combobox', { name: 'May do' }).click()
  await page.getByRole('option', { name: 'Only read' }).click()
  await page.getByRole('combobox', { name: 'Only these libraries' }).fill('/acme/*')
  await page.keyboard.press('Enter')
  await inspect('limited-key-form')
  await page.getByRole('button', { name: 'Create key' }).click()
  const key = await page.locator('pre').filter({ hasText: 'carrel_op_' }).textContent()
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByText('only reads, only /acme/*').waitFor()
  expect((await install.json('/api/projects', { key: key ?? '' })).body).toMatchObject({
    projects: [{ id: '/acme/open' }],
    total: 1,
  })
  expect((await install.json('/api/projects/acme/open/refresh', { method: 'POST', key: key ?? '' })).status).toBe(403)
  expect(problems).toEqual([])
  await close()
})
