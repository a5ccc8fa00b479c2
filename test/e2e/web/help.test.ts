import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'
import { endVisits, memberVisit } from '../../fixtures/web-visit.ts'

let install: TestInstall
beforeAll(async () => {
  install = await testInstall()
})
afterAll(async () => {
  await endVisits()
  await install.close()
})

test('the help menu opens the documentation, whose pages link to each other, and the changelog', async () => {
  const { page, open, inspect, problems, close } = await memberVisit(install)
  await open('/queue')
  await page.getByRole('button', { name: 'Help' }).click()
  await page.getByRole('menuitem', { name: 'Documentation' }).click()
  await page.getByRole('heading', { name: 'Operators' }).waitFor()
  await inspect('help')
  // The file is in a folder that the web UI does not have, next to none of its pages.
  expect(await page.getByRole('link', { name: 'Examples' }).count()).toBe(0)
  await page.getByRole('link', { name: 'Backups', exact: true }).click()
  await page.waitForURL(/\/help\/backup$/)
  await page
    .getByRole('heading', { level: 1 })
    .filter({ hasText: /backup/i })
    .waitFor()
  await inspect('help-page')
  await page.getByRole('button', { name: 'Help' }).click()
  await page.getByRole('menuitem', { name: 'Version and changelog' }).click()
  await page.getByText(/^This is version \d+\.\d+\.\d+$/).waitFor()
  await page.getByRole('heading', { name: 'Changelog' }).waitFor()
  expect(problems).toEqual([])
  await close()
})

test('the search of the documentation finds sections, also for a text of 10,000 characters', async () => {
  const { page, open, inspect, problems, close } = await memberVisit(install, 'finder')
  await open('/help?q=reverse+proxies')
  await page.getByText(/^\d+ sections?$/).waitFor()
  expect(await page.locator('main mark').count()).toBeGreaterThan(0)
  // The excerpts are text, not Markdown.
  expect(await page.locator('main').innerText()).not.toMatch(/\]\(|\|--|`/)
  await inspect('help-search')
  await page.getByRole('textbox', { name: 'Search the documentation' }).fill('x'.repeat(10_000))
  await page.getByText('No section has these words').waitFor()
  expect(problems).toEqual([])
  await close()
})

test('the address of the API leads browsers to the API reference, and programs to the error of a missing route', async () => {
  const { page, open, inspect, problems, close } = await memberVisit(install, 'coder')
  await open('/api')
  await page.waitForURL(/\/api-reference$/)
  await page.getByText('/api/v2/context', { exact: false }).first().waitFor()
  await inspect('api-reference')
  expect(problems).toEqual([])
  await close()
  const answer = await fetch(`${install.url}/api`, { headers: { accept: 'application/json' }, redirect: 'manual' })
  expect(answer.status).toBe(404)
})

test('the question mark lists the shortcuts, except in a field', async () => {
  const { page, open, inspect, close } = await memberVisit(install, 'keys')
  await open('/queue')
  const field = page.getByRole('textbox', { name: 'Library' })
  await field.waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type('?')
  expect(await field.inputValue()).toBe('?')
  expect(await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).count()).toBe(0)
  await field.blur()
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).getByText('Go to the next row').waitFor()
  await inspect('shortcuts')
  await close()
})

test('a missing page keeps the navigation', async () => {
  const { page, open, inspect, problems, close } = await memberVisit(install, 'lost')
  for (const path of ['/nothing/here', '/help/nothing']) {
    await open(path)
    await page.getByRole('heading', { name: 'Page not found' }).waitFor()
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Usage' }).waitFor()
  }
  await inspect('not-found')
  expect(problems).toEqual([])
  await close()
})
