import { truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { developmentPair } from '../../../shared/keys/development-pair.ts'
import { snippetsOf } from '../../fixtures/imports.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'
import { adminVisit, endVisits } from '../../fixtures/web-visit.ts'
import { bundleZip } from '../../fixtures/zips.ts'

let install: TestInstall
beforeAll(async () => {
  install = await testInstall()
})
afterAll(async () => {
  await endVisits()
  await install.close()
})

const element = (libraryId: string) => ({
  project: libraryId,
  file: `${libraryId.replaceAll('/', '')}.json`,
  text: JSON.stringify({ libraries: [{ project: libraryId, ...snippetsOf('The lever turns.') }], force: false }),
})
const bundle = (...libraryIds: string[]) =>
  bundleZip(libraryIds.map(element), developmentPair(install.dataDir, 'bundle').privatePem)

test('a bundle is uploaded, and what is queued and skipped is listed with the reasons', async () => {
  const { page, open, inspect, problems, close } = await adminVisit(install)
  const folder = tempDir()
  const zip = join(folder, 'export.zip')
  writeFileSync(zip, await bundle('/acme/lever', '/acme/crank'))
  await open('/add?from=bundle')
  const input = page.locator('input[type=file]')
  const start = page.getByRole('button', { name: 'Import', exact: true })
  await input.setInputFiles(zip)
  await page.getByText('export.zip').waitFor()
  await start.click()
  await page.getByRole('heading', { name: '2 libraries queued' }).waitFor()
  await expect.poll(() => install.app.catalog.libraries().length).toBe(2)

  writeFileSync(zip, await bundle('/acme/lever', '/acme/wheel'))
  await page.getByRole('button', { name: 'Import another file' }).click()
  await input.setInputFiles(zip)
  await start.click()
  await page.getByRole('heading', { name: '1 library queued, 1 skipped' }).waitFor()
  await page.getByRole('row', { name: /acme\/lever.*already exists/ }).waitFor()
  await inspect('import-skipped')
  await expect.poll(() => install.app.catalog.libraries().length).toBe(3)

  await page.getByRole('button', { name: 'Import another file' }).click()
  await input.setInputFiles(zip)
  await page.getByRole('switch', { name: 'Overwrite existing libraries' }).check({ force: true })
  await start.click()
  await page.getByRole('heading', { name: '2 libraries queued' }).waitFor()

  const json = join(folder, 'other.json')
  const other = { project: '/acme/axle', totalTokens: 'many', ...snippetsOf('The axle turns.') }
  writeFileSync(json, JSON.stringify({ libraries: [other] }))
  await page.getByRole('button', { name: 'Import another file' }).click()
  await input.setInputFiles(json)
  await start.click()
  await page.getByText('Something of 1 library was left out or changed; the report of its job says what.').waitFor()
  expect(problems).toEqual([])
  await close()
})

test('a file that cannot be imported is rejected with the reason, and a lost upload can be repeated', async () => {
  const { page, context, open, inspect, problems, close } = await adminVisit(install)
  const folder = tempDir()
  const made = (name: string, content: Buffer | string) => {
    writeFileSync(join(folder, name), content)
    return join(folder, name)
  }
  const zip = await bundle('/acme/pulley')
  await open('/add?from=bundle')
  const input = page.locator('input[type=file]')
  const start = page.getByRole('button', { name: 'Import', exact: true })
  const alert = page.getByRole('alert')

  const large = made('large.zip', '')
  truncateSync(large, 101 * 2 ** 20)
  await input.setInputFiles(large)
  await alert.getByText('large.zip has 106 MB').waitFor()
  expect(await start.isDisabled()).toBe(true)
  const dataTransfer = await page.evaluateHandle(() => {
    const dropped = new DataTransfer()
    for (const name of ['one.zip', 'two.zip']) dropped.items.add(new File(['PK'], name, { type: 'application/zip' }))
    return dropped
  })
  await page.getByText('Drop the exported file here').dispatchEvent('drop', { dataTransfer })
  await alert.getByText('Choose one file. You chose 2').waitFor()
  await input.setInputFiles(made('notes.txt', 'notes'))
  await alert.getByText('notes.txt is neither a .zip nor a .json').waitFor()
  await inspect('import-rejected')

  const tar = Buffer.alloc(10_240)
  tar.write('a.json')
  tar.write('ustar', 257)
  await input.setInputFiles(made('tar.zip', tar))
  await start.click()
  await alert.getByText(/zip/).waitFor()
  expect(await page.getByText('tar.zip').first().isVisible()).toBe(true)

  await input.setInputFiles(made('lost.zip', zip))
  await context.route('**/api/import-libraries*', (route) => route.abort('connectionreset'))
  await start.click()
  await alert.getByText('The connection was lost during the upload').waitFor()
  await context.unroute('**/api/import-libraries*')
  await start.click()
  await page.getByRole('heading', { name: '1 library queued' }).waitFor()
  expect(problems.filter((each) => !/400|ERR_CONNECTION_RESET/.test(each))).toEqual([])
  await close()
})

test('an upload shows its progress and can be cancelled', async () => {
  const { page, context, open, problems, close } = await adminVisit(install)
  const file = join(tempDir(), 'slow.json')
  writeFileSync(file, JSON.stringify({ libraries: [{ project: '/acme/slow', ...snippetsOf('x'.repeat(8 * 2 ** 20)) }] }))
  await open('/add?from=bundle')
  const session = await context.newCDPSession(page)
  await session.send('Network.enable')
  const network = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 256 * 1024 }
  await session.send('Network.emulateNetworkConditions', network)
  await page.locator('input[type=file]').setInputFiles(file)
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await page.getByRole('progressbar', { name: 'Upload' }).waitFor()
  await page.getByText(/% uploaded/).waitFor()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('alert').getByText('The upload was cancelled. Nothing was imported.').waitFor()
  expect(await page.getByRole('button', { name: 'Import', exact: true }).isEnabled()).toBe(true)
  expect(install.app.catalog.libraries().some(({ id }) => id === '/acme/slow')).toBe(false)
  expect(problems).toEqual([])
  await close()
})
