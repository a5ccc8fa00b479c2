import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'
import { adminVisit, endVisits } from '../../fixtures/web-visit.ts'

const part = (n: number) =>
  `## Lever ${n}\n\n${`Lever ${n} turns a wheel of the clock. `.repeat(30)}\n\n### Example\n\nTurn it.\n`
const clock = `# The clock\n\nIt shows the time.\n\n${Array.from({ length: 20 }, (_, n) => part(n)).join('\n')}`

let install: TestInstall
beforeAll(async () => {
  install = await testInstall()
  await install.git.create('acme/clock', {
    files: {
      'CONTRIBUTING.md': '# Contributing\n\nSend a pull request.',
      'docs/a-wheel.md': '# Wheel\n\nA wheel turns.',
      'docs/clock.md': clock,
      'docs/index.md': '# Clocks\n\nClocks show the time.',
      'docs/other/wheel.md': '# Wheel\n\nAnother wheel.',
    },
    tags: ['v1'],
  })
  await install.git.commit('acme/clock', {
    files: { 'docs/new.md': '# New\n\nA new page.', 'CONTRIBUTING.md': '# Contributing\n\nSend a merge request.' },
  })
  await install.parse('acme/clock', { versions: ['v1'] })
})
afterAll(async () => {
  await endVisits()
  await install.close()
})

test('a library opens on its overview, and keys and links go through its pages', async () => {
  const { page, open, problems, close } = await adminVisit(install)
  await open('/libraries/acme/clock')
  await page.getByText('Clocks show the time.').waitFor()
  const neighbours = page.getByRole('navigation', { name: 'Previous and next' })
  await neighbours.getByRole('link', { name: 'Next Wheel' }).click()
  await page.getByText('A wheel turns.').waitFor()
  await page.keyboard.press(']')
  await page.getByRole('heading', { name: 'The clock', level: 2 }).waitFor()
  await page.keyboard.press('[')
  await page.getByText('A wheel turns.').waitFor()
  const tree = page.getByRole('navigation', { name: 'Pages' })
  await tree.getByRole('link', { name: 'Wheel a-wheel.md' }).focus()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.waitForURL(/page=docs%2Fclock.md/)
  expect(problems).toEqual([])
  await close()
})

test('an address with the anchor of a heading opens a long page there, and the outline follows what is read', async () => {
  const { page, open, inspect, problems, close } = await adminVisit(install)
  await open('/libraries/acme/clock?page=docs/clock.md#lever-12')
  const heading = page.getByRole('heading', { name: 'Lever 12', level: 3 })
  const top = async () => (await heading.boundingBox())?.y
  await expect.poll(top).toBeLessThan(60)
  await expect.poll(top).toBeGreaterThanOrEqual(0)
  const outline = page.getByRole('navigation', { name: 'On this page' })
  await outline.locator('a[data-current]', { hasText: 'Lever 12' }).waitFor()
  await outline.getByRole('link', { name: 'Lever 2', exact: true }).click()
  await page.waitForURL(/#lever-2$/)
  await expect
    .poll(async () => (await page.getByRole('heading', { name: 'Lever 2', exact: true }).boundingBox())?.y)
    .toBeLessThan(60)
  await page.getByRole('heading', { name: 'Lever 2', exact: true }).hover()
  await page.getByRole('link', { name: 'Link to Lever 2', exact: true }).click()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
    `${install.url}/libraries/acme/clock?page=docs%2Fclock.md#lever-2`,
  )
  await outline.getByRole('link', { name: 'Example Lever 12' }).waitFor()
  await inspect('reader-long')
  await page.getByLabel('Show snippets').check()
  await page.getByText('Source:', { exact: false }).nth(1).waitFor()
  await inspect('reader-snippets')
  expect(problems).toEqual([])
  await close()
})

test('a library is asked from its head in the shown version, and an agent connected to it', async () => {
  const { page, open, inspect, problems, close } = await adminVisit(install)
  await open('/libraries/acme/clock?version=v1')
  await page.getByRole('textbox', { name: 'Question' }).fill('what does a wheel do')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/playground\?.*clock%40v1.*question=what/)
  await page.getByText('A wheel turns.').first().waitFor()
  await page.goBack()
  await page.getByRole('main').getByRole('link', { name: 'Connect' }).click()
  await page.getByText('use carrel with library /acme/clock@v1').waitFor()
  await inspect('connect-one-library')
  expect(problems).toEqual([])
  await close()
})

test('a page or a version that does not exist is said to be missing, and others can be chosen', async () => {
  const { page, open, inspect, close } = await adminVisit(install)
  await open('/libraries/acme/clock?page=docs/new.md')
  await page.getByText('A new page.').waitFor()
  await page.getByLabel('Version', { exact: true }).selectOption('v1')
  await page.getByRole('heading', { name: 'This page is not here' }).waitFor()
  await inspect('reader-missing-page')
  await open('/libraries/acme/clock?version=nope')
  await page.getByText('no version "nope"').waitFor()
  await page.getByLabel('Version', { exact: true }).selectOption('')
  await page.getByText('Clocks show the time.').waitFor()
  await close()
})

test('two versions are compared by page, section and word, and the address keeps the comparison', async () => {
  const { page, open, inspect, problems, close } = await adminVisit(install)
  await open('/libraries/acme/clock?tab=versions')
  await page.getByRole('link', { name: 'Compare v1 with the latest' }).click()
  await page.getByText('1 page changed, 1 added, 0 removed, 4 unchanged').waitFor()
  const changes = page.getByRole('navigation', { name: 'Changed pages' })
  await changes.getByRole('link', { name: 'Contributing Changed' }).click()
  await page.locator('del', { hasText: 'pull' }).waitFor()
  await page.locator('ins', { hasText: 'merge' }).waitFor()
  await page.reload()
  await page.locator('ins', { hasText: 'merge' }).waitFor()
  await inspect('reader-compare')
  await page.getByRole('button', { name: 'Swap' }).click()
  await page.locator('ins', { hasText: 'pull' }).waitFor()
  await changes.getByRole('link', { name: 'New Removed' }).click()
  await page.getByText('A new page.').waitFor()
  await page.getByRole('button', { name: 'End comparison' }).click()
  await page.getByRole('heading', { name: 'This page is not here' }).waitFor()
  expect(problems.filter((problem) => !problem.includes('404'))).toEqual([])
  await close()
})
