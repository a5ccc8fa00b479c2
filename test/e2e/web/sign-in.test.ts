import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'
import { adminVisit, endChromium, visit } from '../../fixtures/web-visit.ts'

let install: TestInstall
beforeAll(async () => {
  install = await testInstall()
})
afterAll(async () => {
  await endChromium()
  await install.close()
})

test('a visitor without a session is asked to sign in, and comes back to the page', async () => {
  const { page, open, inspect, problems, close } = await visit(install)
  await open('/queue')
  await page.getByRole('heading', { name: 'Sign in to Carrel' }).waitFor()
  await inspect('sign-in')
  expect(problems).toEqual([])
  await close()
})

test('an admin sees the libraries', async () => {
  const { page, open, inspect, problems, close } = await adminVisit(install)
  await open('/')
  await page.getByRole('heading', { name: 'Libraries', level: 1 }).waitFor()
  await inspect('libraries')
  expect(problems).toEqual([])
  await close()
})
