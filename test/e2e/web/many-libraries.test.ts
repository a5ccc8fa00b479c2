import { afterAll, beforeAll, expect, test } from 'vitest'
import { packStatistics } from '../../../shared/search/statistics/pack-statistics.ts'
import { statisticsBuilder } from '../../../shared/search/statistics/statistics-builder.ts'
import { row } from '../../contracts/snippet-row.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'
import { adminVisit, endVisits } from '../../fixtures/web-visit.ts'

const count = 2_000
const hostileTitle = '<b>Bold</b> \u202Egnp.exe'

let install: TestInstall
beforeAll(async () => {
  install = await testInstall()
  for (let n = 0; n < count; n++) publish(`/many/docs${n}`, n === 42 ? hostileTitle : `Docs ${n}`, n)
})

function publish(id: string, title: string, n: number, stored?: { generation: string; snippets: number }): void {
  const facts = { id, title, description: '', branch: '', sourceUrl: '' }
  const version = {
    version: '',
    ref: '',
    generation: `g${n + 1_000_000}-abcdef`,
    commit: '',
    tokens: n,
    snippets: n,
    codeSnippets: 0,
    rules: [],
    format: install.app.snippets.format,
    ...stored,
  }
  install.app.catalog.publish({ ...facts, private: n % 2 === 0, aliases: [], settings: {}, imported: n % 5 === 0 }, [version])
}

afterAll(async () => {
  await endVisits()
  await install.close()
})

test('2,000 libraries are paged, sorted, searched and filtered by the server, and the address keeps the view', async () => {
  const { page, open, inspect, problems, close } = await adminVisit(install)
  await open('/libraries')
  await page.getByText('2,000 libraries').waitFor()
  await page.getByRole('button', { name: 'Page 40' }).click()
  await page.waitForURL(/page=40/)
  await inspect('libraries-many')
  await page.getByRole('button', { name: 'Snippets' }).click()
  await page.waitForURL(/sort=snippets-desc/)
  await page.getByText('many/docs1999').waitFor()
  expect(await page.getByRole('columnheader', { name: 'Snippets' }).getAttribute('aria-sort')).toBe('descending')
  await page.getByRole('button', { name: 'Library' }).click()
  await page.waitForURL(/libraries$/)
  await page.getByLabel('Source').selectOption('imported')
  await page.getByText('400 libraries').waitFor()
  await page.getByLabel('Filter libraries').fill('<b>')
  await page.getByText('No library matches “<b>”').waitFor()
  await inspect('libraries-none')
  await page.getByLabel('Source').selectOption('')
  await page.getByText('<b>Bold</b>').waitFor()
  expect(await page.locator('main b').count()).toBe(0)
  await inspect('libraries-hostile')
  await page.reload()
  await page.getByText('<b>Bold</b>').waitFor()
  await page.getByLabel('State').selectOption('error')
  await page.getByText('No library matches').waitFor()
  await page.goBack()
  await page.getByText('<b>Bold</b>').waitFor()
  expect(problems).toEqual([])
  await close()
})

test('chosen libraries are deleted together, and one undo restores all', async () => {
  const { page, open, inspect, problems, close } = await adminVisit(install)
  await open('/libraries?q=docs199&sort=updated-desc')
  await page.getByText('many/docs199', { exact: true }).waitFor()
  const choose = (name: string) => page.getByRole('checkbox', { name: `Choose many/${name}`, exact: true })
  await choose('docs199').check()
  await choose('docs1998').check()
  await page.getByText('2 libraries chosen').waitFor()
  await inspect('libraries-chosen')
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByText('2 libraries deleted.').waitFor()
  await choose('docs199').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Undo' }).click()
  await choose('docs199').waitFor()
  expect(problems).toEqual([])
  await close()
})

test('5,000 snippets, 1,000 of them on one page, are loaded as they are shown', async () => {
  const { snippets: store } = install.app
  // The name is reserved before the table is written, so that the sweep does not delete it as a table that no library has.
  install.app.catalog.reserve('g9-large', 1)
  publish('/large/docs', 'Large', 1, { generation: 'g9-large', snippets: 5_000 })
  const writer = await store.write('g9-large')
  const perPage = (page: number) => (page === 0 ? 1_000 : 50)
  for (let page = 0; page <= 80; page++)
    await writer.add(
      Array.from({ length: perPage(page) }, (_, n) =>
        row(`${page}-${n}`, `word${n}`, { page, path: `docs/page${page}.md`, breadcrumb: [`Page ${page}`, `Part ${n}`] }),
      ),
    )
  await writer.finish(packStatistics(statisticsBuilder().total()))

  const { page, open, inspect, problems, close } = await adminVisit(install)
  await open('/libraries/large/docs')
  await page.getByText('1,000 snippets').waitFor()
  const texts = page.getByText(/^Content of/)
  await expect.poll(() => texts.count()).toBe(1_000)
  expect(await page.locator('article p', { hasText: /^Content of/ }).count()).toBeLessThan(300)
  await page.getByText('Content of 0-999', { exact: true }).scrollIntoViewIfNeeded()
  await page.locator('article p', { hasText: 'Content of 0-999' }).waitFor()
  await page.getByLabel('Filter pages').fill('page77')
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Page 77' }).click()
  await page.getByText('Content of 77-49', { exact: true }).waitFor()
  await inspect('library-large')
  expect(problems).toEqual([])
  await close()
})
