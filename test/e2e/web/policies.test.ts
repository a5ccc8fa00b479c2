import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Door, openDoor } from '../../fixtures/door.ts'
import { page as markdown } from '../../fixtures/page.ts'
import { type TestHosted, testHosted } from '../../fixtures/test-hosted.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'
import { adminVisit, endVisits } from '../../fixtures/web-visit.ts'

let hosted: TestHosted
let door: Door
let install: TestInstall
beforeAll(async () => {
  hosted = await testHosted()
  await hosted.git.create('acme/widgets', { files: { 'README.md': markdown('Widgets', 'Paint the widget.') } })
  expect(await hosted.add('acme/widgets')).toMatchObject({ state: 'finalized' })
  door = await openDoor(hosted.url)
  install = await testInstall({
    license: { kind: 'online', cloudUrl: door.url, expiresAt: new Date(Date.now() + 100 * 86_400_000).toISOString() },
    limits: { hostedMs: 30_000 },
    beforeStart: (publicPem) => hosted.hosted.licenses.trust(publicPem),
  })
})
afterAll(async () => {
  await endVisits()
  await install?.close()
  await door?.close()
  await hosted?.close()
})

test('an admin limits the libraries of the hosted service, and another tab keeps what it did not change', async () => {
  const { page, context, open, inspect, problems, close } = await adminVisit(install)
  await open('/settings/policies')
  await page.getByText('1 library of the hosted service can be found.').waitFor()
  const other = await context.newPage()
  await other.goto(`${install.url}/settings/policies`)
  await other.getByText('can be found').waitFor()

  await page.bringToFront()
  await page.getByRole('switch', { name: 'Websites' }).click()
  await page.getByRole('radio', { name: 'Libraries that pass filters' }).click()
  await page.getByRole('textbox', { name: 'Minimum stars of a repository' }).fill('1000')
  await page.getByRole('combobox', { name: 'Never found' }).fill('/acme/widgets')
  await page.keyboard.press('Enter')
  await inspect('settings-policies')
  await page.getByRole('button', { name: 'Save policy' }).click()
  await page.getByText('0 libraries of the hosted service can be found.').waitFor()

  await other.bringToFront()
  await other.getByRole('switch', { name: 'Confluence' }).click()
  await other.getByRole('radio', { name: 'Listed libraries only' }).click()
  await other.getByRole('button', { name: 'Save policy' }).click()
  await other.getByRole('alert').getByText('Libraries changed since this page was loaded').waitFor()
  await other.getByRole('radio', { name: 'All libraries' }).click()
  await other.getByRole('button', { name: 'Save policy' }).click()
  await other.getByRole('textbox', { name: 'Minimum stars of a repository' }).waitFor()
  expect((await install.call('GET', '/api/v2/policies')).body).toMatchObject({
    sourceTypes: { websites: { enabled: false }, confluence: { enabled: false }, public_repos: { enabled: true } },
    libraryFilters: { mode: 'quality', quality: { repoFilters: { minStars: 1000 }, blockedLibraries: ['/acme/widgets'] } },
  })

  await page.bringToFront()
  door.shut(() => 'cut')
  await open('/settings/policies')
  await page.getByText('The hosted service does not respond').waitFor()
  door.open()
  expect(problems).toEqual([])
  await close()
})

test('the page of policies offers no filter on a fact that no library has', async () => {
  await install.call('PATCH', '/api/v2/policies', {
    libraryFilters: { mode: 'quality', quality: { requireVerified: true, websiteFilters: { minBacklinks: 5 } } },
  })
  const { page, open, problems, close } = await adminVisit(install)
  await open('/settings/policies')
  await page.getByRole('textbox', { name: 'Minimum stars of a repository' }).waitFor()
  await page.getByRole('combobox', { name: 'Licenses of repositories' }).waitFor()
  expect(await page.getByLabel(/verified|backlinks|domains that link|visitors/i).count()).toBe(0)
  await page.getByRole('textbox', { name: 'Minimum trust score, 0 to 10' }).fill('7')
  await page.getByRole('button', { name: 'Save policy' }).click()
  await expect
    .poll(async () => (await install.call('GET', '/api/v2/policies')).body)
    .toMatchObject({
      libraryFilters: { quality: { minTrustScore: 7, requireVerified: true, websiteFilters: { minBacklinks: 5 } } },
    })
  expect(problems).toEqual([])
  await close()
})
