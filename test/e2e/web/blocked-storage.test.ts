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

test('every page works in a browser that blocks storage', async () => {
  const { page, context, open, problems, close } = await adminVisit(install)
  await context.addInitScript(() => {
    const blocked = () => {
      throw new DOMException('Access is denied for this document.', 'SecurityError')
    }
    for (const name of ['localStorage', 'sessionStorage']) Object.defineProperty(window, name, { get: blocked })
  })
  const paths = [
    '/',
    '/libraries',
    '/add',
    '/queue',
    '/playground',
    '/usage',
    '/connect',
    '/account',
    '/help',
    '/settings/ai-provider',
  ]
  for (const path of paths) {
    await open(path)
    await page.getByRole('heading', { level: 1 }).first().waitFor()
  }
  expect(problems).toEqual([])
  await close()
})
