import { afterAll, beforeAll, expect, test } from 'vitest'
import { page as markdown } from '../../fixtures/page.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'
import { adminVisit, endVisits } from '../../fixtures/web-visit.ts'

let install: TestInstall
beforeAll(async () => {
  install = await testInstall()
  await install.git.create('acme/anvil', {
    files: { 'README.md': markdown('Anvil', 'The anvil weighs a ton.'), 'docs/use.md': markdown('Use', 'Hit it with a hammer.') },
  })
})
afterAll(async () => {
  await endVisits()
  await install.close()
})

test('an admin adds a repository from the empty start page, and finds it in the list', async () => {
  const { page, open, inspect, problems, close } = await adminVisit(install)
  await open('/')
  await page.getByText('No libraries yet').waitFor()
  await inspect('home-empty')
  await page.getByRole('link', { name: 'Add Repository' }).first().click()
  await page.getByRole('button', { name: 'Branch, versions, folders and exclusions' }).click()
  await page.getByRole('combobox', { name: 'Versions' }).waitFor()
  await inspect('add')
  await page.getByRole('textbox', { name: 'Repository' }).fill('acme anvil')
  await page.getByRole('button', { name: 'Add Repository' }).click()
  await page.getByRole('alert').or(page.locator('.mantine-TextInput-error')).first().waitFor()
  await page.getByRole('textbox', { name: 'Repository' }).fill('acme/anvil')
  await page.getByRole('button', { name: 'Add Repository' }).click()
  await page.getByRole('heading', { name: 'Parse Queue' }).waitFor()
  await page.getByRole('link', { name: 'Libraries', exact: true }).click()
  await page
    .getByRole('row', { name: /acme\/anvil/ })
    .getByText('Ready')
    .waitFor()
  expect(await page.getByRole('row', { name: /acme\/anvil/ }).innerText()).toContain('Anvil')
  await inspect('libraries-one')
  await page.getByRole('link', { name: 'Home' }).click()
  await page.getByRole('link', { name: 'Show all' }).waitFor()
  await page.getByRole('row', { name: /acme\/anvil/ }).waitFor()
  await inspect('home-one')
  // The link of a row covers it.
  await page.getByRole('row', { name: /acme\/anvil/ }).click()
  await page.waitForURL(/libraries\/acme\/anvil$/)
  await page.getByRole('heading', { name: 'Anvil', level: 1 }).first().waitFor()
  expect(problems.filter((each) => !each.includes('400'))).toEqual([])
  await close()
})
