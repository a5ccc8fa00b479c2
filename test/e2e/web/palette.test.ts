import { afterAll, beforeAll, expect, test } from 'vitest'
import { page as markdown } from '../../fixtures/page.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'
import { endVisits, memberVisit } from '../../fixtures/web-visit.ts'

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

test('the palette opens pages and libraries, and distinguishes a running or failed search from one without a result', async () => {
  const { page, open, inspect, problems, close } = await memberVisit(install)
  await open('/queue')
  await page.getByRole('heading', { name: 'Parse Queue', exact: true }).waitFor()
  await page.keyboard.press('ControlOrMeta+k')
  const search = page.getByRole('textbox', { name: 'Search' })
  await search.fill('anvil')
  await page.getByRole('button', { name: /Anvil/ }).waitFor()
  await inspect('palette')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Anvil', exact: true }).waitFor()

  const { promise: answered, resolve: answer } = Promise.withResolvers<void>()
  await page.route('**/api/projects?*', async (route) => {
    await answered
    await route.continue()
  })
  await page.keyboard.press('ControlOrMeta+k')
  await search.fill('zebra')
  await page.getByText('Searching', { exact: true }).waitFor()
  answer()
  await page.getByText('Nothing found').waitFor()
  expect(problems).toEqual([])

  await page.unroute('**/api/projects?*')
  await page.route('**/api/projects?*', (route) =>
    route.fulfill({ status: 503, json: { error: 'unavailable', message: 'It is full.' } }),
  )
  await search.fill('quagga')
  await page.getByText('It is full.').waitFor()
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
