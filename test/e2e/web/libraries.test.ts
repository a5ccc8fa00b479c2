import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { page as written } from '../../fixtures/page.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'
import { adminVisit, endVisits } from '../../fixtures/web-visit.ts'

const dayMs = 24 * 60 * 60 * 1000
const code = '```ts\nconst hammer = lift()\n```\n'

let install: TestInstall
beforeAll(async () => {
  install = await testInstall()
  // A scheduled check would read the stale libraries again before a page shows them.
  install.app.settings.change({ 'refresh.schedule': 'off' })
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 45 * dayMs })
  for (const name of ['Anvil', 'Bellows']) {
    const id = `old/${name.toLowerCase()}`
    await install.git.create(id, { files: { 'README.md': written(name, 'It weighs a pound.') } })
    publish(`/${id}`, name, { sourceUrl: `${install.git.url}/${id}` })
  }
  publish('/old/tongs', 'Tongs', { imported: true })
  vi.useRealTimers()
  await install.git.create('acme/widgets', {
    files: { 'README.md': `${written('Widgets', 'The lever turns.')}\n${code}` },
    tags: ['v1'],
  })
  await install.parse('acme/widgets', { versions: ['v1'] })
  for (let n = 0; n < 5; n++) await install.ask('/api/v2/context?libraryId=/acme/widgets&query=lever')
})
afterAll(async () => {
  await endVisits()
  await install.close()
})

function publish(id: string, title: string, more = {}): void {
  const facts = { id, title, description: '', branch: 'main', sourceUrl: `https://github.com${id}` }
  const counts = { tokens: 318_204, snippets: 1_204, codeSnippets: 800, codeLanguage: 'Python' }
  const version = { version: '', ref: 'main', commit: 'c0ffee', rules: [], format: install.app.snippets.format, ...counts }
  const generation = `g${1_000_000 + title.length}-abcdef`
  install.app.catalog.publish({ ...facts, private: false, aliases: [], settings: {}, ...more }, [{ ...version, generation }])
}

test('the list shows versions, language, size and use, and of sources only the exceptions', async () => {
  const { page, open, inspect, problems, close } = await adminVisit(install)
  await open('/libraries')
  const row = (id: string) => page.getByRole('row').filter({ hasText: id })
  await row('acme/widgets').getByRole('img', { name: '5 requests in 30 days' }).waitFor()
  expect(await row('acme/widgets').getByRole('cell').allInnerTexts()).toEqual(expect.arrayContaining(['1', 'TypeScript']))
  expect(await row('old/anvil').getByRole('cell').allInnerTexts()).toEqual(
    expect.arrayContaining(['–', 'Python', '1,204', '318.2k tokens', expect.stringMatching(/^Stale/)]),
  )
  expect(await page.getByText('Imported', { exact: true }).and(page.locator('main table *')).count()).toBe(1)
  expect(await page.locator('main table').getByText('From a repository').count()).toBe(0)
  await page.getByLabel('State').selectOption('stale')
  await page.getByText('3 libraries').waitFor()
  await page.waitForURL(/state=stale/)
  await row('acme/widgets').waitFor({ state: 'detached' })
  await inspect('libraries-stale')
  expect(problems).toEqual([])
  await close()
})

test('a tag is added to several libraries, filters the list, and is removed from one', async () => {
  const { page, open, inspect, problems, close } = await adminVisit(install)
  await open('/libraries')
  const choose = (id: string) => page.getByRole('checkbox', { name: `Choose ${id}`, exact: true })
  await choose('old/anvil').check()
  await choose('acme/widgets').check()
  await page.getByRole('button', { name: 'Tag', exact: true }).click()
  await page.getByLabel('New tag').fill('Web team')
  await page.keyboard.press('Enter')
  await page.getByText('2 libraries tagged “Web team”.').waitFor()
  await page.getByRole('checkbox', { name: 'web team', exact: true }).waitFor()
  await inspect('libraries-tagging')
  await page.keyboard.press('Escape')
  await page.getByLabel('Tag', { exact: true }).and(page.locator('select')).selectOption('web team')
  await page.getByText('2 libraries', { exact: true }).waitFor()
  await page.waitForURL(/tag=web/)
  await inspect('libraries-tagged')
  await choose('acme/widgets').uncheck()
  await page.getByRole('button', { name: 'Tag', exact: true }).click()
  await page.getByRole('checkbox', { name: 'web team', exact: true }).click()
  await page.getByText('Tag “web team” removed from 1 library.').waitFor()
  await page.getByText('1 library', { exact: true }).waitFor()
  expect(problems).toEqual([])
  await close()
})

test('Home shows stale libraries that can be read again, and refreshes all of them', async () => {
  const { page, open, inspect, problems, close } = await adminVisit(install)
  await open('/')
  await page.getByRole('heading', { name: 'Needs attention' }).waitFor()
  await page.getByText('Not checked for long: Anvil, Bellows').waitFor()
  await inspect('home-stale')
  await page.getByRole('button', { name: 'Refresh all' }).click()
  await page.getByText('2 libraries queued.').waitFor()
  expect(problems).toEqual([])
  await close()
})

test('a page without libraries has one button that adds one', async () => {
  const empty = await testInstall()
  const { page, open, inspect, problems, close } = await adminVisit(empty)
  for (const [path, name] of [
    ['/', 'home-empty'],
    ['/libraries', 'libraries-empty'],
  ] as const) {
    await open(path)
    await page.getByText('No libraries yet').waitFor()
    expect(await page.getByRole('link', { name: 'Add Repository' }).count()).toBe(1)
    await inspect(name)
  }
  expect(problems).toEqual([])
  await close()
  await empty.close()
})
