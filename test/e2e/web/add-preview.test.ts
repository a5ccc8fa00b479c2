import { afterAll, beforeAll, expect, test } from 'vitest'
import { page as markdown } from '../../fixtures/page.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'
import { until } from '../../fixtures/until.ts'
import { adminVisit, endVisits, memberVisit } from '../../fixtures/web-visit.ts'

let install: TestInstall
beforeAll(async () => {
  install = await testInstall()
  await install.git.create('acme/anvil', {
    files: {
      'README.md': markdown('Anvil <img src=x onerror=alert(1)>', 'The anvil weighs a ton.'),
      'docs/use.md': markdown('Use', 'Hit it with a hammer.'),
      'docs/archive/old.md': markdown('Old', 'Made of wood.'),
    },
    tags: ['v1'],
  })
})
afterAll(async () => {
  await endVisits()
  await install.close()
})

test('a member sees what a parse would read before it is queued', async () => {
  const { page, open, inspect, problems, close } = await memberVisit(install)
  await open('/add')
  await page.getByRole('textbox', { name: 'Repository' }).fill(`${install.git.url}/acme/anvil`)
  await page.getByRole('button', { name: 'Preview' }).click()
  const preview = page.getByRole('status', { name: 'Preview' })
  await preview.getByText('2 files').waitFor()
  expect(await preview.innerText()).toContain('main at')
  await preview.getByText('1 file or folder is skipped').click()
  await preview.getByText('excludeFolders: *archive*').waitFor()
  await inspect('add-preview')

  await preview.getByRole('button', { name: 'Add v1 as a version' }).click()
  await page.getByRole('combobox', { name: 'Versions' }).waitFor()
  await preview.getByText('The form has changed since').waitFor()
  await page.getByRole('button', { name: 'Preview' }).click()
  await preview.getByText('None that name a version').waitFor()
  await preview.getByText('v1', { exact: true }).waitFor()
  expect(await preview.getByText('The form has changed since').count()).toBe(0)
  expect(install.app.catalog.libraries()).toEqual([])

  await page.getByRole('button', { name: 'Add Repository' }).click()
  await page.getByRole('heading', { name: 'Parse Queue' }).waitFor()
  expect(problems).toEqual([])
  await close()
})

test('a preview names the languages of the documentation, and those that the form chooses are read', async () => {
  const files = {
    'docs/en/use.md': markdown('Use', 'Hit it with a hammer.'),
    'docs/de/use.md': markdown('Gebrauch', 'Schlag mit einem Hammer darauf.'),
  }
  await install.git.create('acme/tongs', { files })
  const { page, open, problems, close } = await memberVisit(install)
  await open('/add')
  await page.getByRole('textbox', { name: 'Repository' }).fill(`${install.git.url}/acme/tongs`)
  await page.getByRole('button', { name: 'Preview' }).click()
  const preview = page.getByRole('status', { name: 'Preview' })
  await preview.getByText('English (en) (1); not read: German (de) (1). Add their codes under Languages to read them.').waitFor()

  await page.getByRole('button', { name: 'Branch, versions, folders and exclusions' }).click()
  const languages = page.getByRole('combobox', { name: 'Languages' })
  for (const code of ['en', 'fr']) {
    await languages.fill(code)
    await page.keyboard.press('Enter')
  }
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByText('The documentation has no pages in French (fr).').waitFor()
  await page.keyboard.press('Escape')
  await languages.press('Backspace')
  await languages.fill('de')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Preview' }).click()
  await preview.getByText('German (de) (1), English (en) (1)').waitFor()
  expect(problems.filter((each) => !/404/.test(each))).toEqual([])
  await close()
})

test('a preview that fails shows the reason, and one that takes long can be cancelled', async () => {
  const { page, open, inspect, problems, close } = await adminVisit(install)
  await open('/add')
  const repository = page.getByRole('textbox', { name: 'Repository' })
  const preview = page.getByRole('button', { name: 'Preview' })
  await repository.fill(`${install.git.url}/acme/missing`)
  await preview.click()
  await page.getByRole('alert').getByText('does not exist or is private').waitFor()
  await inspect('add-preview-failed')
  expect(await repository.inputValue()).toContain('acme/missing')

  const held = Promise.withResolvers<void>()
  const asked = Promise.withResolvers<void>()
  install.git.misbehave('acme/anvil', { kind: 'hold', until: held.promise, held: asked.resolve })
  await repository.fill(`${install.git.url}/acme/anvil`)
  await preview.click()
  await asked.promise
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByText('Nothing is indexed yet').waitFor({ state: 'detached' })
  await until(() => preview.isEnabled())
  held.resolve()
  install.git.misbehave('acme/anvil')
  expect(await page.getByRole('alert').count()).toBe(0)
  expect(problems.filter((each) => !/40[03]/.test(each))).toEqual([])
  await close()
})
