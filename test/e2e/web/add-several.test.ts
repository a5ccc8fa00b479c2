import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { page as markdown } from '../../fixtures/page.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'
import { until } from '../../fixtures/until.ts'
import { adminVisit, endVisits, memberVisit } from '../../fixtures/web-visit.ts'

let install: TestInstall
beforeAll(async () => {
  // Nothing listens there, so that no request reaches github.com.
  install = await testInstall({ env: { HTTPS_PROXY: 'http://127.0.0.1:1' } })
  for (const name of ['anvil', 'hammer', 'tongs'])
    await install.git.create(`acme/${name}`, { files: { 'README.md': markdown(name, `The ${name} is heavy.`) } })
  await install.parse('acme/anvil')
})
afterEach(() => install.app.settings.change({ 'github.baseUrl': install.git.url }))
afterAll(async () => {
  await endVisits()
  await install.close()
})

const paste = async (page: import('playwright-core').Page, text: string) => {
  await page.evaluate((copied) => navigator.clipboard.writeText(copied), text)
  await page.getByRole('textbox', { name: 'Repository' }).press('ControlOrMeta+v')
}

test('a member adds the chosen repositories of a pasted list', async () => {
  const { page, open, inspect, problems, close } = await memberVisit(install)
  await open('/add')
  await paste(page, `acme/anvil\n${install.git.url}/acme/hammer/issues/3\nacme/tongs\nacme/nothing\nhttps://example.com/docs`)
  await page
    .getByText('4 repositories were recognised, 1 of them is here or in the queue, 1 name has no known repository.')
    .waitFor()
  expect(await page.getByRole('row', { name: /acme\/anvil/ }).innerText()).toContain('Here already')
  expect(await page.getByRole('checkbox', { name: 'Add acme/anvil' }).isDisabled()).toBe(true)
  await page.getByText('Add this documentation as a website').waitFor()
  await page.getByRole('checkbox', { name: 'Add acme/tongs' }).uncheck()
  await inspect('add-several')
  await page.getByRole('button', { name: 'Add 2 libraries' }).click()
  await page.getByText('2 libraries are added.').waitFor()
  await inspect('add-several-queued')
  await until(() => install.app.catalog.libraries().length === 2)
  expect(
    install.app.catalog
      .libraries()
      .map(({ id }) => id)
      .sort(),
  ).toEqual(['/acme/anvil', '/acme/hammer'])
  await page.getByRole('button', { name: 'Start over' }).click()
  expect(await page.getByRole('textbox', { name: 'Repository' }).inputValue()).toBe('')
  expect(problems).toEqual([])
  await close()
})

test('a chosen lock file shows the documentation of its packages', async () => {
  install.app.settings.change({ 'github.baseUrl': null })
  const { page, open, inspect, problems, close } = await memberVisit(install)
  await open('/add')
  const chooser = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Choose a file such as package.json' }).click()
  const packages = { '': { dependencies: { react: '^18.0.0', 'react-dom': '^18.0.0', hono: '^4.0.0', 'left-pad': '^1.0.0' } } }
  const installed = { 'node_modules/react': { version: '18.2.0' }, 'node_modules/hono': { version: '4.1.2' } }
  const buffer = Buffer.from(JSON.stringify({ lockfileVersion: 3, packages: { ...packages, ...installed } }))
  await (await chooser).setFiles({ name: 'package-lock.json', mimeType: 'application/json', buffer })
  await page.getByRole('heading', { name: 'package-lock.json' }).waitFor()
  const row = page.getByRole('row', { name: /reactjs\/react\.dev/ })
  await row.getByText('react, react-dom').waitFor()
  expect(await row.innerText()).toMatch(/React\s+reactjs\/react\.dev · src\/content[\s\S]*Also version 18\.2\.0[\s\S]*New/)
  await page.getByText('left-pad').waitFor()
  await page.getByRole('switch', { name: 'Also add the versions that are named' }).check()
  await page.getByRole('checkbox', { name: 'Also version 18.2.0' }).uncheck()
  await inspect('add-lock-file')
  await page.getByRole('button', { name: 'Add 2 libraries' }).click()
  await page.getByText('2 libraries are added.').waitFor()
  const jobs = (await install.call('GET', '/api/jobs')).body.jobs as { id: number; project: string }[]
  const requestOf = (id: string) => {
    const order = install.app.jobs.order(jobs.find(({ project }) => project === id)?.id ?? 0)
    return order?.kind === 'parse' ? order.request : undefined
  }
  expect(requestOf('/honojs/website')?.optionalVersions).toEqual(['4.1.2'])
  expect(requestOf('/reactjs/react.dev')).toMatchObject({ folders: ['src/content'] })
  expect(requestOf('/reactjs/react.dev')?.optionalVersions).toBeUndefined()
  expect(problems).toEqual([])
  await close()
})

test('a file that cannot be read says why, and the form can be used again', async () => {
  const { page, open, problems, close } = await memberVisit(install)
  await open('/add')
  const chooser = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Choose a file such as package.json' }).click()
  await (await chooser).setFiles({ name: 'Gemfile.lock', mimeType: 'text/plain', buffer: Buffer.from('GEM') })
  await page.getByText('Gemfile.lock is not read. Choose one of package.json').waitFor()
  await page.getByRole('button', { name: 'Start over' }).click()
  await page.getByRole('textbox', { name: 'Repository' }).waitFor()
  expect(problems.filter((each) => !each.includes('400'))).toEqual([])
  await close()
})

test('the form says which repository a page, a package and a wrong host mean', async () => {
  install.app.settings.change({ 'github.baseUrl': null })
  const { page, open, inspect, problems, close } = await memberVisit(install)
  await open('/add')
  const field = page.getByRole('textbox', { name: 'Repository' })
  await field.fill(' https://www.npmjs.com/package/svelte ')
  await page.getByText('Svelte: https://github.com/sveltejs/svelte, from the folder documentation.').waitFor()
  await inspect('add-package')
  await field.fill('fastapi==0.115.2')
  await page.getByRole('checkbox', { name: 'Also add version 0.115.2, if the repository has its tag' }).check()
  await inspect('add-version')
  await field.fill('https://github.com/acme/hammer/wiki')
  await page.getByText(/^https:\/\/github\.com\/acme\/hammer\. /).waitFor()
  await field.fill('https://hono.dev/llms.txt')
  await page.getByText('Add this file as an llms.txt,').waitFor()
  await field.fill('githb.com/acme/hammer')
  await page.getByRole('button', { name: 'https://github.com/acme/hammer' }).click()
  expect(await field.inputValue()).toBe('https://github.com/acme/hammer')
  await field.fill('no-such-package')
  await page.getByRole('button', { name: 'Add Repository' }).click()
  await page.getByText('No repository of "no-such-package" is known here.').waitFor()
  await field.fill('react, vue')
  await page.getByRole('button', { name: 'Choose from 2 repositories' }).click()
  await page.getByRole('button', { name: 'Add 2 libraries' }).waitFor()
  expect(problems).toEqual([])
  await close()
})

test('an admin finds a popular library and adds it with one click', async () => {
  install.app.settings.change({ 'github.baseUrl': null })
  const { page, open, inspect, problems, close } = await adminVisit(install)
  await open('/add?from=popular')
  await page.getByText('fastapi/fastapi · docs/en/docs').waitFor()
  await inspect('add-popular')
  await page.getByRole('textbox', { name: 'Filter popular libraries' }).fill('npm:zod')
  await page.getByText('1 library', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Add Zod' }).click()
  await page.getByRole('listitem').filter({ hasText: 'Zod' }).getByText('Queued').waitFor()
  await until(() => page.url().includes('q=npm'))
  const { body } = await install.call('GET', '/api/jobs')
  const [job] = body.jobs as { id: number; project: string }[]
  expect(job && install.app.jobs.order(job.id)).toMatchObject({
    request: { repoUrl: 'https://github.com/colinhacks/zod', folders: ['packages/docs'] },
  })
  await page.getByRole('textbox', { name: 'Filter popular libraries' }).fill('no such library')
  await page.getByText('No library matches').waitFor()
  expect(problems).toEqual([])
  await close()
})

test('popular libraries on another host than that of the settings are not offered', async () => {
  const { page, open, problems, close } = await memberVisit(install)
  await open('/add?from=popular')
  await page.getByText('the setting GitHub address names another host').waitFor()
  expect(problems).toEqual([])
  await close()
})
