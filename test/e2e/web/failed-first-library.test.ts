import { afterAll, beforeAll, expect, test } from 'vitest'
import { page as markdown } from '../../fixtures/page.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'
import { until } from '../../fixtures/until.ts'
import { adminVisit, endVisits } from '../../fixtures/web-visit.ts'

let install: TestInstall
beforeAll(async () => {
  install = await testInstall()
})
afterAll(async () => {
  await endVisits()
  await install.close()
})

test('a first library that cannot be read has its reason in the words of the settings, and is tried again', async () => {
  const { page, open, inspect, problems, close } = await adminVisit(install)
  await open('/setup?step=library')
  await page.getByRole('textbox', { name: 'Repository' }).fill('acme/anvil')
  await page.getByRole('button', { name: 'Add Repository' }).click()
  await page.getByText('Failed', { exact: true }).waitFor()
  const reason = page.getByRole('listitem').filter({ hasText: 'Try again' })
  const link = reason.getByRole('link', { name: 'GitHub Token' })
  await link.waitFor()
  expect(await link.getAttribute('href')).toBe('/settings/git-hosts#github.token')
  expect(await reason.innerText()).not.toMatch(/github\.token|\/acme\/anvil has no content/)
  await inspect('setup-library-failed')
  const steps = page
    .getByRole('list')
    .filter({ has: page.locator('[aria-current="step"]') })
    .getByRole('listitem')
  const current = steps.and(page.locator('[aria-current="step"]'))
  await until(async () => (await current.getAttribute('data-done')) === null)
  await page.getByRole('button', { name: 'Later' }).waitFor()
  // The page shows the failure, so no toast repeats it, and nothing runs that one could wait for.
  expect(await page.getByText(/The job of \/acme\/anvil failed/).count()).toBe(0)
  expect(await page.getByText('You can continue while').count()).toBe(0)

  await open('/setup?step=ask')
  await page.getByText('could not be added, so there is nothing to ask yet').waitFor()
  await inspect('setup-ask-failed')
  await open('/')
  const home = page.getByRole('main')
  await home.getByRole('link', { name: 'GitHub Token' }).waitFor()
  expect(await home.innerText()).not.toMatch(/github\.token|has no content/)
  await home.getByRole('listitem').filter({ hasText: 'Add your first library' }).getByLabel('Open').waitFor()
  await inspect('home-failed')

  await install.git.create('acme/anvil', { files: { 'README.md': markdown('Anvil', 'The anvil weighs a ton.') } })
  await open('/setup?step=ask')
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('textbox', { name: /^A question to/ }).waitFor()
  expect(problems).toEqual([])
  await close()
})
