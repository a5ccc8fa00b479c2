import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { page as markdown } from '../../fixtures/page.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'
import { adminVisit, endVisits, memberVisit } from '../../fixtures/web-visit.ts'

let install: TestInstall
beforeAll(async () => {
  install = await testInstall()
  await install.git.create('acme/anvil', { files: { 'README.md': markdown('Anvil', 'The anvil weighs a ton.') } })
  await install.parse('acme/anvil')
})
afterAll(async () => {
  await endVisits()
  await install.close()
})

/** The requests that search. */
const searches = '**/api/search?*'
/** Opens the palette, on a page that is drawn. */
async function openPalette(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Search pages and libraries' }).waitFor()
  await page.keyboard.press('ControlOrMeta+k')
}

/** The field of the palette, which is open. */
const fieldOf = (page: Page) => page.getByRole('combobox', { name: 'Search', exact: true })
const option = (page: Page, name: RegExp | string) => page.getByRole('option', { name })

test('the palette opens pages and libraries, and distinguishes a running or failed search from one without a result', async () => {
  const { page, open, inspect, problems, close } = await memberVisit(install)
  await open('/queue')
  await page.getByRole('heading', { name: 'Parse Queue', exact: true }).waitFor()
  await page.keyboard.press('ControlOrMeta+k')
  await option(page, 'Usage').waitFor()
  await inspect('palette-start')
  await fieldOf(page).fill('anvil')
  await option(page, /Anvil/).first().waitFor()
  await inspect('palette')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Anvil', exact: true, level: 1 }).waitFor()

  const { promise: answered, resolve: answer } = Promise.withResolvers<void>()
  await page.route(searches, async (route) => {
    await answered
    await route.continue()
  })
  await page.keyboard.press('ControlOrMeta+k')
  await fieldOf(page).fill('zebra')
  await page.getByText('Searching', { exact: true }).waitFor()
  answer()
  await page.getByText('Nothing found in the libraries').waitFor()
  await inspect('palette-nothing')
  expect(problems).toEqual([])

  await page.unroute(searches)
  await page.route(searches, (route) => route.fulfill({ status: 503, json: { error: 'unavailable', message: 'It is full.' } }))
  await fieldOf(page).fill('quagga')
  await page.getByText('It is full.').waitFor()
  await close()
})

test('the palette loses no letter and no Enter that is typed before its list is loaded', async () => {
  const { page, open, close } = await memberVisit(install, 'quick')
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  await page.route(/install-palette.*\.js/, async (route) => {
    await released
    await route.continue()
  })
  await open('/queue')
  await page.getByRole('heading', { name: 'Parse Queue', exact: true }).waitFor()
  await page.keyboard.press('ControlOrMeta+k')
  await page.keyboard.type('acme/anvil')
  expect(await fieldOf(page).inputValue()).toBe('acme/anvil')
  await page.keyboard.press('Enter')
  release()
  await page.getByRole('heading', { name: 'Anvil', exact: true, level: 1 }).waitFor()
  await close()
})

test('the palette has one height, and earlier results stay until those of the text come', async () => {
  const { page, open, close } = await memberVisit(install, 'still')
  await open('/queue')
  await openPalette(page)
  const dialog = page.getByRole('dialog', { name: 'Search and actions' })
  const heightOf = async () => (await dialog.boundingBox())?.height
  const height = await heightOf()
  await fieldOf(page).fill('anv')
  await option(page, /^Anvil.*\/acme/).waitFor()
  expect(await heightOf()).toBe(height)
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>()
  await page.route(searches, async (route) => {
    await answered
    await route.continue()
  })
  await fieldOf(page).fill('anvi')
  await page.getByText('Searching', { exact: true }).waitFor()
  expect(await option(page, /^Anvil.*\/acme/).count()).toBe(1)
  await fieldOf(page).fill('anvi zebra')
  answer()
  await page.getByText('Nothing found in the libraries').waitFor()
  expect(await option(page, /^Anvil.*\/acme/).count()).toBe(0)
  expect(await heightOf()).toBe(height)
  await close()
})

test('the field of the palette names the active option, and the number of results is announced', async () => {
  const { page, open, close } = await memberVisit(install, 'reader')
  await open('/queue')
  await openPalette(page)
  await fieldOf(page).fill('theme')
  await page.getByRole('status').filter({ hasText: '3 results' }).waitFor()
  const active = async () => page.locator(`#${await fieldOf(page).getAttribute('aria-activedescendant')}`)
  expect(await (await active()).textContent()).toBe('System theme')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  expect(await (await active()).textContent()).toBe('Dark theme')
  expect(await (await active()).getAttribute('aria-selected')).toBe('true')
  await page.keyboard.press('Enter')
  await page.locator('html[data-mantine-color-scheme="dark"]').waitFor()
  await close()
})

test('the palette refreshes, asks and deletes a library, makes a key, and signs out', async () => {
  const { page, open, inspect, problems, close } = await adminVisit(install)
  await install.git.create('acme/bolt', { files: { 'README.md': markdown('Bolt', 'A bolt has a thread.') } })
  await install.parse('acme/bolt')
  const run = async (action: string, library?: string) => {
    await page.keyboard.press('ControlOrMeta+k')
    await fieldOf(page).fill(action)
    await option(page, new RegExp(`^${action}`)).waitFor()
    await page.keyboard.press('Enter')
    if (library === undefined) return
    await page.getByText(/which library\?/).waitFor()
    await fieldOf(page).fill(library)
    await option(page, new RegExp(library, 'i')).first().waitFor()
    await page.keyboard.press('Enter')
  }
  await open('/usage')
  await page.getByRole('heading', { name: 'Usage', exact: true }).waitFor()
  await run('Refresh a library', 'bolt')
  await page.getByText('Bolt is in the Parse Queue.').waitFor()
  await run('Ask a library', 'bolt')
  await page.waitForURL(/\/playground\?.*bolt/)
  await run('Delete a library', 'bolt')
  await page.getByRole('dialog', { name: 'Delete /acme/bolt?' }).waitFor()
  await inspect('palette-delete')
  await page.getByRole('button', { name: 'Cancel' }).click()
  await run('Delete a library', 'bolt')
  await page.getByRole('button', { name: 'Delete library' }).click()
  await page.getByText('/acme/bolt deleted.').waitFor()
  await run('New API key')
  await page.getByRole('dialog', { name: 'New key' }).waitFor()
  await page.keyboard.press('Escape')
  await run('LLM Provider')
  await page.waitForURL(/\/settings\/ai-provider/)
  expect(problems).toEqual([])
  await run('Sign out')
  await page.waitForURL(/\/sign-in/)
  await close()
})

test('the palette opens the page of a library at the heading that has the words, which are marked', async () => {
  const { page, open, inspect, problems, close } = await memberVisit(install, 'heads')
  const hostile = '<img src=x onerror=alert(1)> \u202egnp.exe'
  const text = `${markdown('Forge', 'A forge is hot.')}\n## Quenching steel\n\nWater cools \`${hostile}\` quickly.\n`
  await install.git.create('acme/forge', { files: { 'README.md': text } })
  await install.parse('acme/forge')
  await open('/usage')
  await openPalette(page)
  await fieldOf(page).fill('quenching')
  await option(page, /Quenching steel/)
    .first()
    .waitFor()
  expect(await page.locator('[role="option"] mark').first().textContent()).toMatch(/quenching/i)
  await inspect('palette-heading')
  expect(await option(page, /./).first().textContent()).toMatch(/^Quenching steel/)
  await page
    .getByRole('status')
    .filter({ hasText: /result/ })
    .waitFor()
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/libraries\/acme\/forge.*#quenching-steel$/)
  await openPalette(page)
  await fieldOf(page).fill('onerror')
  await option(page, /<img src=x/)
    .first()
    .waitFor()
  expect(await page.locator('[role="option"] img').count()).toBe(0)
  expect(problems).toEqual([])
  await close()
})

test('the palette says that libraries are still being indexed', async () => {
  const { page, open, close } = await memberVisit(install, 'early')
  await page.route(searches, (route) => route.fulfill({ json: { libraries: [], pending: 1 } }))
  await open('/usage')
  await openPalette(page)
  await fieldOf(page).fill('zebra')
  await page.getByText('1 library is still being indexed. Its pages cannot be found yet.', { exact: true }).waitFor()
  await page.getByRole('status').filter({ hasText: '0 results. 1 library is still being indexed.' }).waitFor()
  await close()
})

test('Escape leaves the choice of a library, then the palette, and the focus returns to where it was', async () => {
  const { page, open, close } = await memberVisit(install, 'back')
  await open('/usage')
  const link = page.getByRole('link', { name: 'Playground' })
  await link.focus()
  await page.keyboard.press('ControlOrMeta+k')
  await fieldOf(page).fill('refresh')
  await option(page, 'Refresh a library').waitFor()
  await page.keyboard.press('Enter')
  await option(page, /^Anvil.*\/acme/).waitFor()
  await page.keyboard.press('Escape')
  await option(page, 'Usage').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog', { name: 'Search and actions' }).waitFor({ state: 'hidden' })
  expect(await link.evaluate((element) => element === document.activeElement)).toBe(true)
  await close()
})

test('a text of 10,000 characters finds nothing, and the palette stays usable', async () => {
  const { page, open, problems, close } = await memberVisit(install, 'long')
  await open('/usage')
  await openPalette(page)
  await fieldOf(page).fill('x'.repeat(10_000))
  await page.getByText('Nothing found in the libraries').waitFor()
  await fieldOf(page).fill('anvil')
  await option(page, /^Anvil/)
    .first()
    .waitFor()
  expect(problems).toEqual([])
  await close()
})

test('every page that reads the storage of the browser is shown even if that is blocked', async () => {
  const { page, context, open, problems, close } = await memberVisit(install, 'lin')
  await context.addInitScript(() => {
    Object.defineProperty(window, 'localStorage', {
      get() {
        throw new DOMException('Access is denied', 'SecurityError')
      },
    })
  })
  await open('/queue')
  await page.getByRole('heading', { name: 'Parse Queue', exact: true }).waitFor()
  expect(problems).toEqual([])
  await close()
})
