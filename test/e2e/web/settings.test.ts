import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'
import { adminVisit, endChromium, memberVisit } from '../../fixtures/web-visit.ts'

const dayMs = 86_400_000

let install: TestInstall
beforeAll(async () => {
  const expiresAt = new Date(Date.now() + 10.5 * dayMs).toISOString()
  install = await testInstall({ license: { kind: 'offline', customer: 'Acme \u202egnitseT', expiresAt } })
})
afterAll(async () => {
  await endChromium()
  await install.close()
})

test('an admin is warned on every page before the license expires, and sees what to do', async () => {
  const { page, open, inspect, problems, close } = await adminVisit(install)
  await open('/')
  await page.getByText('The license expires in 10 days.').waitFor()
  await page.getByRole('link', { name: 'What to do' }).click()
  await page.getByRole('heading', { name: 'License', exact: true }).waitFor()
  await page.getByText('Ask your vendor for a new license').waitFor()
  expect(await page.getByRole('term').allInnerTexts()).toEqual(['Customer', 'Kind', 'Expires', 'License id'])
  await inspect('settings-license')
  expect(problems).toEqual([])
  await close()
})

test('a member who opens a page of the settings reads who may', async () => {
  const { page, open, inspect, problems, close } = await memberVisit(install)
  await open('/settings/license')
  await page.getByText('Only admins can open this page.').waitFor()
  expect(await page.getByText('The license expires').count()).toBe(0)
  await inspect('settings-member')
  expect(problems).toEqual([])
  await close()
})
