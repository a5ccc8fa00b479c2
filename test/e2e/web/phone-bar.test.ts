import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'
import { adminVisit, endVisits } from '../../fixtures/web-visit.ts'

let install: TestInstall
beforeAll(async () => {
  install = await testInstall()
})
afterAll(async () => {
  await endVisits()
  await install.close()
})

const phone = { width: 390, height: 844 }

test('a phone has a bar of five entries of one width, and the others in a sheet, which a link closes', async () => {
  const { page, open, inspect, problems, close } = await adminVisit(install)
  await page.setViewportSize(phone)
  await open('/')
  const bar = page.getByRole('complementary')
  const entries = bar.getByRole('link').or(bar.getByRole('button'))
  await bar.getByRole('button', { name: 'More pages' }).waitFor()
  expect(await entries.allInnerTexts()).toEqual(['Home', 'Libraries', 'Playground', 'Search', 'More'])
  const widths = await entries.evaluateAll((all) => all.map((each) => Math.round(each.getBoundingClientRect().width)))
  expect(Math.max(...widths) - Math.min(...widths)).toBeLessThan(4)
  await bar.getByRole('button', { name: 'More pages' }).click()
  const sheet = page.getByRole('dialog', { name: 'More' })
  const links = ['Parse Queue', 'Usage', 'Connect', 'Settings', 'Documentation', 'API reference', 'Version and changelog']
  await sheet.getByRole('link', { name: 'Parse Queue' }).waitFor()
  expect(await sheet.getByRole('link').allInnerTexts()).toEqual([...links, 'Personal Settings'])
  await inspect('more-sheet')
  await page.setViewportSize(phone)
  await sheet.getByText('Dark', { exact: true }).click()
  await page.locator('html[data-mantine-color-scheme="dark"]').waitFor()
  await sheet.getByRole('link', { name: 'Usage' }).click()
  await page.getByRole('heading', { name: 'Usage', exact: true }).waitFor()
  await sheet.waitFor({ state: 'hidden' })
  await inspect('usage-on-phone')
  await page.setViewportSize(phone)
  await bar.getByRole('button', { name: 'More pages' }).click()
  await page.keyboard.press('Escape')
  await sheet.waitFor({ state: 'hidden' })
  await bar.getByRole('button', { name: 'More pages' }).click()
  expect(problems).toEqual([])
  await sheet.getByRole('button', { name: 'Sign out' }).click()
  await page.waitForURL(/\/sign-in/)
  await close()
})

test('the entry of the sheet says that a job failed in the queue, which only the sheet has', async () => {
  const { page, open, inspect, close } = await adminVisit(install)
  await install.git.create('acme/empty', { files: { 'main.c': 'int main;' } })
  await install.parse('acme/empty').catch(() => {})
  await page.setViewportSize(phone)
  await open('/')
  await page.getByRole('button', { name: 'More, a job failed since your last visit (Parse Queue)' }).click()
  await page
    .getByRole('dialog', { name: 'More' })
    .getByRole('link', { name: 'Parse Queue, a job failed since your last visit' })
    .waitFor()
  await inspect('more-sheet-failed')
  await close()
})
