import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ConfluenceServer, startConfluence } from '../../fixtures/confluence-server.ts'
import { page as document } from '../../fixtures/page.ts'
import { type StaticSite, startStaticSite } from '../../fixtures/static-site.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'
import { adminVisit, endVisits } from '../../fixtures/web-visit.ts'

let install: TestInstall
let site: StaticSite
let wiki: ConfluenceServer
beforeAll(async () => {
  install = await testInstall()
  const headers = { 'content-type': 'text/html' }
  site = await startStaticSite({ '/docs/': { headers, body: '<h1>Birds</h1><p>The wren sings.</p>' } })
  const pages = [{ id: '1', title: 'Owls', version: 1, storage: '<p>Owls sleep by day.</p>' }]
  wiki = await startConfluence('data-center', [{ key: 'OWLS', id: 1, name: 'Owls', pages }])
})
afterAll(async () => {
  await endVisits()
  await install.close()
  await site.close()
  await wiki.close()
})

const libraries = () => install.app.catalog.libraries().map(({ id }) => id)

test('a website is added, and a host that is not allowed leads to its setting', async () => {
  const { page, open, inspect, problems, close } = await adminVisit(install)
  await open('/add?from=website')
  await page.getByRole('textbox', { name: 'Address of the website' }).fill(`${site.url}/docs/`)
  await page.getByRole('button', { name: 'Title, limits and excluded paths' }).click()
  await page.getByRole('textbox', { name: 'Title' }).fill('Birds')
  await page.getByRole('textbox', { name: 'Largest number of pages' }).fill('many')
  await page.getByRole('button', { name: 'Add Website' }).click()
  await page
    .getByText(/maxPages|number/)
    .first()
    .waitFor()
  await page.getByRole('textbox', { name: 'Largest number of pages' }).fill('7')
  await page.getByRole('button', { name: 'Add Website' }).click()
  await page.getByText('is not among the hosts that documentation may be read from').waitFor()
  await inspect('add-website-refused')
  page.once('dialog', (question) => void question.accept())
  await page.getByRole('link', { name: 'Allowed hosts' }).click()
  await page.waitForURL('**/settings/refreshes**')

  install.app.settings.change({ 'sources.allowedHosts': [site.host] })
  await open('/add?from=website')
  await page.getByRole('textbox', { name: 'Address of the website' }).fill(`${site.url}/docs/`)
  await page.keyboard.press('Enter')
  await page.waitForURL('**/queue**')
  await expect.poll(libraries).toContain('/websites/127-0-0-1-docs')
  expect(problems.filter((problem) => !problem.includes('400'))).toEqual([])
  await close()
})

test('files are chosen, checked, named and uploaded with a progress', async () => {
  const { page, open, inspect, problems, close } = await adminVisit(install)
  const folder = join(tempDir(), 'handbook')
  mkdirSync(join(folder, 'guide'), { recursive: true })
  writeFileSync(join(folder, 'start.md'), document('Start', 'The heron waits.'))
  writeFileSync(join(folder, 'guide/reeds.md'), document('Reeds', 'Reeds hide the heron.'))
  writeFileSync(join(folder, '.env'), 'SECRET=1')
  await open('/add?from=files')
  await page.getByRole('button', { name: 'Add Files' }).click()
  await page.getByRole('alert').filter({ hasText: 'Choose what to add first.' }).waitFor()
  await page.locator('input[webkitdirectory]').setInputFiles(folder)
  const chosen = page.getByRole('status', { name: 'Chosen files' })
  await chosen.getByText('handbook/guide/reeds.md').waitFor()
  expect(await chosen.innerText()).not.toContain('.env')
  await inspect('add-files')
  await page.getByRole('button', { name: 'Add Files' }).click()
  await page.waitForURL('**/queue**')
  await expect.poll(libraries).toContain('/files/handbook')

  await open('/add?from=openapi')
  const input = page.getByLabel('API description to add')
  const file = (name: string, text: string) => ({ name, mimeType: 'application/json', buffer: Buffer.from(text) })
  await input.setInputFiles(file('notes.pdf', 'x'))
  await page.getByRole('alert').filter({ hasText: 'notes.pdf is no .json, .yaml, .yml or .graphql file.' }).waitFor()
  await input.setInputFiles(file('eggs.json', '{}'))
  await page.getByRole('button', { name: 'Upload OpenAPI' }).click()
  await page.getByRole('alert').filter({ hasText: 'is no OpenAPI' }).waitFor()
  await inspect('add-openapi')
  const description = {
    openapi: '3.1.0',
    info: { title: 'Eggs' },
    paths: { '/eggs': { get: { summary: 'List', responses: {} } } },
  }
  await input.setInputFiles(file('eggs.json', JSON.stringify(description)))
  await page.getByRole('button', { name: 'Upload OpenAPI' }).click()
  await page.waitForURL('**/queue**')
  await expect.poll(libraries).toContain('/openapi/eggs')
  expect(problems.filter((problem) => !problem.includes('400'))).toEqual([])
  await close()
})

test('a space of Confluence is added by its address', async () => {
  install.app.settings.change({ 'sources.allowedHosts': [wiki.host] })
  const { page, open, inspect, problems, close } = await adminVisit(install)
  await open('/add?from=website')
  await page.getByRole('tab', { name: 'Confluence' }).click()
  const address = page.getByRole('textbox', { name: 'Address of the space or page' })
  await address.fill(wiki.site)
  await page.getByRole('button', { name: 'Add Confluence' }).click()
  await page.getByText('The address leads to no space or page of Confluence.').waitFor()
  await page.getByRole('button', { name: 'Title and description' }).click()
  await page.getByRole('textbox', { name: 'Title' }).fill('Night birds')
  await inspect('add-confluence')
  await address.fill(`${wiki.site}/display/OWLS`)
  await page.keyboard.press('Enter')
  await page.waitForURL('**/queue**')
  await expect.poll(libraries).toContain('/confluence/night-birds')

  await open('/add?from=confluence')
  // A short link, as Confluence copies it.
  await address.fill(`${wiki.site}/x/AQ`)
  await page.keyboard.press('Enter')
  await page.waitForURL('**/queue**')
  await expect.poll(libraries).toContain('/confluence/page-1')
  expect(problems).toEqual([])
  await close()
})

const dropped = (page: Page, files: { name: string; text: string }[]) =>
  page.evaluateHandle((each) => {
    const transfer = new DataTransfer()
    for (const { name, text } of each) transfer.items.add(new File([text], name))
    return transfer
  }, files)

test('dropped files are chosen, and a cancelled upload adds nothing and can be sent again', async () => {
  const { page, open, inspect, problems, close } = await adminVisit(install)
  await open('/add?from=files')
  const invitation = page.getByText('Drop files, a folder or a zip here')
  await invitation.dispatchEvent('drop', {
    dataTransfer: await dropped(page, [
      { name: 'larks.md', text: document('Larks', 'The lark rises at dawn.') },
      { name: '.env', text: 'SECRET=1' },
    ]),
  })
  const chosen = page.getByRole('status', { name: 'Chosen files' })
  await chosen.getByText('1 file,').waitFor()
  expect(await chosen.innerText()).toContain('larks.md')

  // The upload waits here for an answer, as on a slow line.
  const held = Promise.withResolvers<void>()
  await page.route('**/api/parse-files', async (route) => {
    await held.promise
    await route.abort().catch(() => undefined)
  })
  await page.getByRole('button', { name: 'Add Files' }).click()
  await page.getByText(/uploaded/i).waitFor()
  await inspect('add-files-uploading')
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('alert').filter({ hasText: 'The upload was cancelled. Nothing was added.' }).waitFor()
  await inspect('add-files-cancelled')
  held.resolve()
  await page.unroute('**/api/parse-files')
  expect(libraries()).not.toContain('/files/larks')
  await page.getByRole('button', { name: 'Add Files' }).click()
  await page.waitForURL('**/queue**')
  await expect.poll(libraries).toContain('/files/larks')
  expect(problems).toEqual([])
  await close()
})
