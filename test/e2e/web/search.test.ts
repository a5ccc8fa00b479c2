import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { hostileFound } from '../../fixtures/hostile-found.ts'
import { page as markdown } from '../../fixtures/page.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'
import { endVisits, memberVisit } from '../../fixtures/web-visit.ts'

let install: TestInstall
beforeAll(async () => {
  install = await testInstall()
  const anvil = `${markdown('Anvil', 'The anvil weighs a ton.')}\n## Tempering steel\n\nHeat the steel again.\n`
  const forge = [1, 2, 3, 4].map((count) => `## Tempering ${count}\n\nTempering in step ${count} makes the steel less brittle.\n`)
  await install.git.create('acme/anvil', { files: { 'README.md': anvil } })
  await install.git.create('acme/forge', {
    files: { 'README.md': `${markdown('Forge', 'A forge is hot.')}\n${forge.join('\n')}` },
  })
  await install.parse('acme/anvil')
  await install.parse('acme/forge')
  await install.ask('/api/search?q=anvil')
  await install.app.textIndex.settled()
})
afterAll(async () => {
  await endVisits()
  await install.close()
})

const searches = '**/api/search?*'
const fieldOf = (page: Page, name = 'Search all libraries') => page.getByRole('textbox', { name })
const result = (page: Page, name: RegExp | string) => page.getByRole('link', { name })
const announced = (page: Page, text: RegExp | string) => page.getByRole('status').filter({ hasText: text }).waitFor()
const isFocused = (element: Element) => element === document.activeElement

test('the search page groups matches by library, marks the words, and its address shows the same to others', async () => {
  const { page, open, inspect, problems, close } = await memberVisit(install, 'mia')
  await open('/search')
  await page.getByRole('heading', { name: 'Search in all libraries' }).waitFor()
  expect(await fieldOf(page).evaluate(isFocused)).toBe(true)
  await inspect('search-start')
  await page.keyboard.type('tempering')
  await announced(page, '4 matches in 2 libraries')
  expect(await page.title()).toBe('tempering · Search · Carrel')
  const marked = await page.locator('main mark').allTextContents()
  expect(new Set(marked)).toEqual(new Set(['Tempering']))
  await inspect('search-results')
  const address = page.url()
  await result(page, /^All matches in Forge/).click()
  await page.waitForURL(/library=%2Facme%2Fforge/)
  await fieldOf(page, 'Search /acme/forge').waitFor()
  expect(await page.getByRole('region', { name: 'Anvil' }).count()).toBe(0)
  expect(await page.getByRole('region', { name: 'Forge' }).getByRole('listitem').count()).toBeGreaterThan(3)
  await inspect('search-in-library')
  await result(page, 'Search all libraries').click()
  await announced(page, '4 matches in 2 libraries')

  const other = await memberVisit(install, 'noa')
  await other.page.goto(address)
  await announced(other.page, '4 matches in 2 libraries')
  expect(await fieldOf(other.page).inputValue()).toBe('tempering')
  expect([...problems, ...other.problems]).toEqual([])
  await other.close()
  await close()
})

test('a match of the search page opens its page at the heading, and the keys go through the results', async () => {
  const { page, open, close } = await memberVisit(install, 'keys')
  await open('/search?q=tempering steel')
  await announced(page, /match/)
  await page.keyboard.press('/')
  expect(await fieldOf(page).evaluate(isFocused)).toBe(true)
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('j')
  const focused = page.locator('a:focus')
  expect(await focused.textContent()).toMatch(/Tempering steel/)
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/libraries\/acme\/anvil.*#tempering-steel$/)
  await page.goBack()
  await announced(page, /match/)
  expect(await fieldOf(page).inputValue()).toBe('tempering steel')
  await close()
})

test('the palette ends with all results, which are those of the search page', async () => {
  const { page, open, close } = await memberVisit(install, 'all')
  await open('/usage')
  await page.getByRole('button', { name: 'Search pages and libraries' }).click()
  await page.getByRole('combobox', { name: 'Search', exact: true }).fill('tempering')
  const options = page.getByRole('option')
  await options.filter({ hasText: 'See all results' }).waitFor()
  expect(await options.last().textContent()).toBe('See all results for “tempering”')
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/search\?q=tempering$/)
  await announced(page, '4 matches in 2 libraries')
  await close()
})

test('the search page says that nothing was found, that the search failed, and that libraries are still being indexed', async () => {
  const { page, open, inspect, close } = await memberVisit(install, 'none')
  await open('/search?q=zebra&library=/acme/anvil')
  await page.getByRole('heading', { name: 'Nothing in /acme/anvil has these words' }).waitFor()
  await announced(page, 'Nothing found')
  await inspect('search-nothing')
  await result(page, 'Search all libraries').click()
  await page.waitForURL(/\/search\?q=zebra$/)
  await page.route(searches, (route) => route.fulfill({ status: 503, json: { error: 'unavailable', message: 'It is full.' } }))
  await fieldOf(page).fill('quagga')
  await page.getByText('It is full.').waitFor()
  await inspect('search-failed')
  await page.unroute(searches)
  await page.route(searches, (route) => route.fulfill({ json: { libraries: [], pending: 2 } }))
  await page.getByRole('button', { name: 'Try again' }).click()
  await announced(page, 'Nothing found. 2 libraries are still being indexed. Their pages cannot be found yet.')
  await page.unroute(searches)
  await announced(page, /^Nothing found$/)
  await close()
})

test('a text of 10,000 characters in the address or the field of the search page is cut to what is searched', async () => {
  const { page, open, inspect, problems, close } = await memberVisit(install, 'long')
  await open(`/search?q=${'x'.repeat(10_000)}`)
  await announced(page, 'Nothing found')
  await inspect('search-long-word')
  await fieldOf(page).fill('y'.repeat(10_000))
  await page.waitForURL(/\?q=y{200}$/)
  await fieldOf(page).fill('anvil')
  await result(page, 'Anvil').first().waitFor()
  expect(problems).toEqual([])
  await close()
})

test.each(['/search', '/usage'])('hostile names of libraries stay text inside their row, found on %s', async (path) => {
  const { page, open, inspect, problems, close } = await memberVisit(install, 'hostile')
  await page.route(searches, (route) => route.fulfill({ json: hostileFound }))
  await open(path)
  if (path === '/search') {
    await fieldOf(page).fill('evil')
    await announced(page, /libraries/)
    await inspect('search-hostile')
  } else {
    await page.getByRole('button', { name: 'Search pages and libraries' }).click()
    await page.getByRole('combobox', { name: 'Search', exact: true }).fill('evil')
    await page.getByRole('option', { name: /<img/ }).first().waitFor()
    const title = page.getByRole('group', { name: /gnp/ }).locator('bdi')
    expect((await title.first().boundingBox())?.x).toBeLessThan((await title.nth(1).boundingBox())?.x ?? 0)
    await inspect('palette-hostile')
  }
  expect(await page.locator('img[src="x"], main script, [role="option"] a').count()).toBe(0)
  expect(problems).toEqual([])
  await close()
})
