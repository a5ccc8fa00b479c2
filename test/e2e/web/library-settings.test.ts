import { afterAll, beforeAll, expect, test } from 'vitest'
import { page as markdown } from '../../fixtures/page.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'
import { adminVisit, endVisits } from '../../fixtures/web-visit.ts'

let install: TestInstall
beforeAll(async () => {
  install = await testInstall()
  await install.git.create('acme/anvil', {
    files: {
      'README.md': markdown('Anvil', 'The anvil weighs a ton.'),
      'docs/use.md': markdown('Use', 'Hit it with a hammer.', 'Hold it with tongs.'),
      'more/care.md': markdown('Care', 'Oil it in winter.'),
    },
    tags: ['v1'],
  })
  await install.parse('acme/anvil')
})
afterAll(async () => {
  await endVisits()
  await install.close()
})

const source = async () => (await install.json('/api/projects/acme/anvil/source')).body
const pages = async () => {
  const { body } = await install.json('/api/projects/acme/anvil/pages')
  return (body as { pages: { path: string }[] }).pages.map(({ path }) => path).toSorted()
}

test('source settings are changed and applied by a refresh, and a new version keeps them', async () => {
  const { page, open, inspect, problems, close } = await adminVisit(install)
  await open('/libraries/acme/anvil?tab=settings')
  await page.getByRole('combobox', { name: 'Read', exact: true }).click()
  await page.getByRole('option', { name: 'Only these folders' }).click()
  await page.getByRole('combobox', { name: 'Folders', exact: true }).fill('wrong')
  await page.getByRole('combobox', { name: 'Folders', exact: true }).press('Enter')
  await page.getByRole('textbox', { name: 'Branch' }).fill('-x')
  await page.getByRole('button', { name: 'Save settings' }).click()
  await page.locator('[id$="-error"]').first().waitFor()
  await inspect('library-settings-error')
  await page.getByRole('textbox', { name: 'Branch' }).fill('')
  await page.getByRole('combobox', { name: 'Folders', exact: true }).press('Backspace')
  await page.getByRole('combobox', { name: 'Folders', exact: true }).fill('docs')
  await page.getByRole('combobox', { name: 'Folders', exact: true }).press('Enter')
  await page.getByRole('button', { name: 'Save settings' }).click()
  await page.getByText('applies from the next refresh').waitFor()
  await inspect('library-settings')
  expect(await source()).toMatchObject({ folders: ['docs'], branch: null })
  await page.getByRole('button', { name: 'Refresh', exact: true }).last().click()
  await page.waitForURL(/\/queue\?job=/)
  await expect.poll(pages).toEqual(['README.md', 'docs/use.md'])
  await expect.poll(() => install.app.jobs.active()).toEqual([])
  await open('/libraries/acme/anvil?tab=versions')
  await page.getByRole('combobox', { name: 'Add a version' }).fill('v99')
  await page.getByRole('button', { name: 'Add version' }).click()
  await page.getByRole('alert').filter({ hasText: 'no branch or tag "v99". Did you mean v1?' }).waitFor()
  await inspect('library-versions-missing')
  await page.getByRole('combobox', { name: 'Add a version' }).fill('v1')
  await page.getByRole('button', { name: 'Add version' }).click()
  await page.getByText('/acme/anvil@v1').waitFor()
  await inspect('library-versions-added')
  expect(await source()).toMatchObject({ folders: ['docs'], versions: ['v1'] })
  expect(problems.filter((problem) => !problem.includes('400'))).toEqual([])
  await close()
})

test('source settings that another program has changed are not overwritten, and the page names them', async () => {
  const change = async (body: unknown) =>
    expect((await install.call('PATCH', '/api/projects/acme/anvil/source', body)).status).toBe(200)
  const { page, open, close } = await adminVisit(install)
  await open('/libraries/acme/anvil?tab=settings')
  const branch = page.getByRole('textbox', { name: 'Branch' })
  await branch.fill('main')
  await change({ branch: 'v1' })
  await page.getByRole('button', { name: 'Save settings' }).click()
  await page.getByRole('alert').getByText('Branch changed since this page was loaded').waitFor()
  expect(await source()).toMatchObject({ branch: 'v1' })
  await page.reload()
  await expect.poll(() => branch.inputValue()).toBe('v1')
  await branch.fill('main')
  await page.getByRole('button', { name: 'Save settings' }).click()
  await expect.poll(source).toMatchObject({ branch: 'main' })
  await close()
})

test('the settings of a library that the followed repository declares are read-only, with a link to its file', async () => {
  await install.git.create('acme/install', {
    files: { 'carrel.yaml': `libraries:\n  - { url: ${install.git.url}/acme/anvil, versions: [v1], folders: [docs] }\n` },
  })
  await install.call('PUT', '/api/gitops/config', { repository: `${install.git.url}/acme/install`, schedule: 'manual' })
  expect(await install.call('POST', '/api/gitops/reconcile')).toMatchObject({ status: 200 })
  for (const { id } of install.app.jobs.active()) await install.ended(id)
  const { page, open, inspect, problems, close } = await adminVisit(install)
  await open('/libraries/acme/anvil?tab=settings')
  const link = page.getByRole('link', { name: /carrel\.yaml#L2$/ })
  await link.waitFor()
  expect(await link.getAttribute('href')).toMatch(/\/acme\/install\/blob\/[0-9a-f]{40}\/carrel\.yaml#L2$/)
  for (const field of ['Branch', 'Repository'])
    expect(await page.getByRole('textbox', { name: field, exact: true }).isEditable()).toBe(false)
  for (const field of ['Versions', 'Folders'])
    expect(await page.getByRole('combobox', { name: field, exact: true }).isEnabled()).toBe(false)
  expect(await page.getByRole('button', { name: 'Save settings' }).count()).toBe(0)
  await inspect('library-settings-declared')
  expect(problems).toEqual([])
  await close()
})
