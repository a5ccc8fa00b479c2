import { afterAll, beforeAll, expect, test } from 'vitest'
import { startCutProxy } from '../../fixtures/cut-proxy.ts'
import { signIn } from '../../fixtures/sign-in.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'
import { adminVisit, endVisits, password } from '../../fixtures/web-visit.ts'

let install: TestInstall
beforeAll(async () => {
  install = await testInstall()
})
afterAll(async () => {
  await endVisits()
  await install.close()
})

test('an admin sees and revokes the keys of everyone, in settings that have groups', async () => {
  await install.call('POST', '/api/users', { username: 'linus', password, role: 'member' })
  const cookie = await signIn(install, { username: 'linus', password })
  const made = { name: 'key of linus' }
  const headers = { 'content-type': 'application/json', cookie, origin: install.url }
  await install.ask('/api/keys', { method: 'POST', headers, body: JSON.stringify(made) })
  const { page, open, inspect, problems, close } = await adminVisit(install)
  await open('/settings/keys')
  const row = page.getByRole('row', { name: /key of linus/ })
  await row.getByText('Of linus, a member: searches, adds and refreshes').waitFor()
  const groups = page.getByRole('navigation', { name: 'Settings' }).getByRole('list')
  expect(await groups.evaluateAll((lists) => lists.map((list) => list.getAttribute('aria-labelledby')))).toEqual(
    ['Models', 'Sources', 'Access', 'System'].map((name) => `settings-${name}`),
  )
  await inspect('settings-keys')
  await row.getByRole('button', { name: 'Revoke key' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke key' }).click()
  await page.getByRole('status').getByText('Key key of linus revoked.').waitFor()
  await row.waitFor({ state: 'detached' })
  expect(problems).toEqual([])
  await close()
})

test('a page with changes that are not saved asks before another one opens', async () => {
  const { page, open, problems, close } = await adminVisit(install)
  await open('/settings/about')
  await page.getByLabel('Space to keep free, in MB').fill('3100')
  const asked: string[] = []
  let leaves = false
  page.on('dialog', (dialog) => {
    asked.push(dialog.message())
    void (leaves ? dialog.accept() : dialog.dismiss())
  })
  const users = page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'Users' })
  await users.click()
  expect(asked).toEqual(['Leave this page? What you changed here is not saved.'])
  expect(await page.getByLabel('Space to keep free, in MB').inputValue()).toBe('3100')
  leaves = true
  await users.click()
  await page.getByRole('heading', { name: 'Users' }).waitFor()
  expect(problems).toEqual([])
  await close()
})

test('the absence of the server is a notice on every page, and its return reads the page again', async () => {
  const proxy = await startCutProxy(install.url)
  const { page, close } = await adminVisit(proxy)
  await page.goto(`${proxy.url}/settings/users`)
  await page.getByRole('row', { name: /admin/ }).first().waitFor()
  proxy.cut()
  const notice = page.getByRole('status').getByText('Carrel cannot be reached.')
  await notice.waitFor()
  await install.call('POST', '/api/users', { username: 'later', password, role: 'member' })
  proxy.restore()
  await page.getByText('later', { exact: true }).waitFor()
  await notice.waitFor({ state: 'detached' })
  await close()
  await proxy.close()
})
