import { afterAll, beforeAll, expect, test } from 'vitest'
import { page as markdown } from '../../fixtures/page.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'
import { adminVisit, endVisits, memberVisit } from '../../fixtures/web-visit.ts'

let install: TestInstall
beforeAll(async () => {
  install = await testInstall()
  for (const repo of ['acme/secret', 'acme/other'])
    await install.git.create(repo, { files: { 'README.md': markdown('Anvil', 'The anvil weighs a ton.') }, private: '*:sesame' })
  install.app.settings.change({ 'github.token': 'sesame' })
})
afterAll(async () => {
  await endVisits()
  await install.close()
})

const banner = /Private libraries can be read by everyone who reaches this server, and nobody has chosen that\./

test('an admin who adds a private repository chooses first who can read it', async () => {
  const { page, open, inspect, problems, close } = await adminVisit(install)
  await open('/add')
  await page.getByRole('textbox', { name: 'Repository' }).fill(`${install.git.url}/acme/secret`)
  const add = page.getByRole('button', { name: 'Add Repository' })
  await add.click()
  await page.getByText('This repository is private.').waitFor()
  expect(await add.isDisabled()).toBe(true)
  expect(install.app.jobs.list(1, 1).total).toBe(0)
  await inspect('add-private')
  await page.getByRole('button', { name: 'Everyone who reaches this server' }).click()
  await expect.poll(() => install.app.settings.get('permissions.privateChosen')).toBe(true)
  await add.click()
  await page.getByRole('heading', { name: 'Parse Queue' }).waitFor()
  expect(install.app.jobs.list(1, 1).total).toBe(1)
  expect(problems).toEqual([])
  await close()
})

test('every page shows who can read private libraries until an admin has chosen on the page Permissions', async () => {
  install.app.settings.change({ 'permissions.privateChosen': null })
  await install.parse('acme/other')
  const member = await memberVisit(install)
  await member.open('/')
  await member.page.getByText(banner).waitFor()
  await member.page.getByText('An admin can choose.').waitFor()
  const { page, open, inspect, problems, close } = await adminVisit(install)
  await open('/')
  await page.getByText(banner).waitFor()
  await inspect('libraries-private-unchosen')
  await page.getByRole('link', { name: 'Choose' }).click()
  await page.getByRole('button', { name: 'Only people and agents with a key' }).waitFor()
  await inspect('permissions-private-unchosen')
  await page.getByRole('button', { name: 'Only people and agents with a key' }).click()
  await page.getByText(banner).waitFor({ state: 'detached' })
  await expect
    .poll(() => page.getByRole('switch', { name: 'Require authentication for private libraries' }).isChecked())
    .toBe(true)
  await open('/connect')
  await page
    .getByText(/carrel_op_|key/i)
    .first()
    .waitFor()
  await inspect('connect-hide-private')
  expect([...problems, ...member.problems]).toEqual([])
  await Promise.all([close(), member.close()])
})
