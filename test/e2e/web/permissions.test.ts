import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'
import { adminVisit, endVisits, memberVisit } from '../../fixtures/web-visit.ts'

let install: TestInstall
beforeAll(async () => {
  install = await testInstall()
})
afterAll(async () => {
  await endVisits()
  await install.close()
})

test('an admin opens a permission after a confirmation, and a tab that was loaded earlier reports the change', async () => {
  const { page, context, open, inspect, problems, close } = await adminVisit(install)
  await open('/settings/permissions')
  const name = 'Allow anonymous parse'
  await page.getByRole('switch', { name }).waitFor()
  const other = await context.newPage()
  await other.goto(`${install.url}/settings/permissions`)
  await other.getByRole('switch', { name }).waitFor()

  await page.bringToFront()
  await page.getByRole('switch', { name }).click()
  await page.getByRole('dialog').getByText('fill the queue').waitFor()
  await inspect('settings-permissions-confirm')
  await page.getByRole('button', { name: 'Allow' }).click()
  await expect.poll(() => page.getByRole('switch', { name }).isChecked()).toBe(true)
  await inspect('settings-permissions')

  await other.bringToFront()
  await other.getByRole('switch', { name }).click()
  await other.getByRole('button', { name: 'Allow' }).click()
  await other.getByRole('dialog').getByRole('alert').waitFor()
  await other.getByRole('button', { name: 'Cancel' }).click()
  await other.getByRole('alert').getByText('This was turned on since the page was loaded').waitFor()
  expect(await other.getByRole('switch', { name }).isChecked()).toBe(true)
  await other.getByRole('switch', { name }).click()
  await expect.poll(() => install.app.settings.get('permissions.anonymousParse')).toBe(false)
  expect(problems).toEqual([])
  await close()
})

test('the permissions warn if other machines can reach the server, and about what is open', async () => {
  const reachable = await testInstall({ env: { PUBLIC_URL: 'http://docs.example.com' } })
  const { page, open, inspect, problems, close } = await memberVisit(reachable, 'ada')
  const ada = reachable.app.users.list().find(({ username }) => username === 'ada')
  await reachable.call('PATCH', `/api/users/${ada?.id}`, { role: 'admin' })
  await open('/settings/permissions')
  await page.getByText('Other machines can reach this server.').waitFor()
  await page.getByText('Everyone who can reach the server can search and read all libraries.').waitFor()
  await page.getByRole('switch', { name: 'Allow anonymous delete' }).click()
  await page.getByRole('button', { name: 'Allow' }).click()
  await page.getByText('Strangers can delete every library, and nobody knows who it was.', { exact: true }).waitFor()
  await inspect('settings-permissions-reachable')
  expect(problems).toEqual([])
  await close()
  await reachable.close()
})
