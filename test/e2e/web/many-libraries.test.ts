import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'
import { adminVisit, endChromium } from '../../fixtures/web-visit.ts'

const count = 5_000
const hostileTitle = '<b>Bold</b> \u202Egnp.exe'

let install: TestInstall
beforeAll(async () => {
  install = await testInstall()
  for (let n = 0; n < count; n++) {
    const generation = `g${n + 1_000_000}-abcdef`
    const facts = {
      id: `/many/docs${n}`,
      title: n === 42 ? hostileTitle : `Docs ${n}`,
      description: '',
      branch: '',
      sourceUrl: '',
    }
    const version = {
      version: '',
      ref: '',
      generation,
      commit: '',
      tokens: n,
      snippets: n,
      rules: [],
      format: install.app.snippets.format,
    }
    install.app.catalog.publish({ ...facts, private: n % 2 === 0, aliases: [], settings: {}, imported: n % 5 === 0 }, [version])
  }
}, 60_000)
afterAll(async () => {
  await endChromium()
  await install.close()
})

test('5,000 libraries are paged, searched and filtered by the server, and the address keeps the view', async () => {
  const { page, open, inspect, problems, close } = await adminVisit(install)
  await open('/')
  await page.getByText('5,000 libraries').waitFor()
  await page.getByRole('button', { name: 'Page 100' }).click()
  await page.waitForURL(/page=100/)
  await inspect('libraries-many')
  await page.getByLabel('Source').selectOption('imported')
  await page.getByText('1,000 libraries').waitFor()
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
