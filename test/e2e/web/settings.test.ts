import { readFileSync } from 'node:fs'
import JSZip from 'jszip'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'
import { adminVisit, endChromium, memberVisit } from '../../fixtures/web-visit.ts'

const dayMs = 86_400_000

let install: TestInstall
beforeAll(async () => {
  const expiresAt = new Date(Date.now() + 10.5 * dayMs).toISOString()
  const license = { kind: 'offline', customer: 'Acme \u202egnitseT', expiresAt } as const
  install = await testInstall({ license, env: { PUBLIC_URL: 'http://127.0.0.1' } })
})
afterAll(async () => {
  await endChromium()
  await install.close()
})

test('an admin is warned on every page before the license expires, and sees versions, licenses and the support bundle', async () => {
  const { page, open, inspect, problems, close } = await adminVisit(install)
  await open('/')
  await page.getByText('The license expires in 10 days.').waitFor()
  await page.getByRole('link', { name: 'What to do' }).click()
  await page.getByText('Ask your vendor for a new license').waitFor()
  expect(await page.getByRole('term').allInnerTexts()).toEqual(['Customer', 'Kind', 'Expires', 'License id'])
  await inspect('settings-license')

  const settings = page.getByRole('navigation', { name: 'Settings' })
  await settings.getByRole('link', { name: 'Support bundle' }).click()
  await page.getByText('versions.json').waitFor()
  await inspect('settings-support')
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Download' }).click()])
  expect(download.suggestedFilename()).toMatch(/^carrel-support-\d{4}-\d\d-\d\d\.zip$/)
  expect((await JSZip.loadAsync(readFileSync(await download.path()))).file('versions.json')).not.toBeNull()

  await settings.getByRole('link', { name: 'About' }).click()
  await page.getByText(process.versions.node, { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Show the packages' }).click()
  await page.getByRole('button', { name: 'MIT, license of hono', exact: true }).click()
  await page.getByRole('region', { name: 'License of hono', exact: true }).getByText('Permission is hereby granted').waitFor()
  await page.getByRole('button', { name: 'MIT, license of hono', exact: true }).click()
  expect(problems).toEqual([])
  await close()
})

test('an admin opens a permission after a confirmation; a tab that was loaded earlier says that it changed', async () => {
  const { page, context, open, inspect, problems, close } = await adminVisit(install)
  await open('/settings')
  const name = 'Anyone may add libraries'
  await page.getByRole('switch', { name }).waitFor()
  const other = await context.newPage()
  await other.goto(`${install.url}/settings/permissions`)
  await other.getByRole('switch', { name }).waitFor()

  await page.getByRole('switch', { name }).click()
  await page.getByRole('dialog').getByText('fill the queue').waitFor()
  await inspect('settings-permissions-confirm')
  await page.getByRole('button', { name: 'Allow' }).click()
  await expect.poll(() => page.getByRole('switch', { name }).isChecked()).toBe(true)
  await inspect('settings-permissions')

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

test('an admin adds a user, makes an admin of it, resets its password and deletes it; the log names each change', async () => {
  const { page, open, inspect, problems, close } = await adminVisit(install)
  await open('/settings/users')
  await page.getByRole('button', { name: 'Actions for admin' }).click()
  await page.getByText('This is the last admin.').first().waitFor()
  expect(await page.getByRole('menuitem', { name: 'Delete' }).isDisabled()).toBe(true)
  await page.keyboard.press('Escape')

  await page.getByRole('button', { name: 'Add user' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'User name' }).fill('Ada Lovelace')
  await dialog.getByRole('button', { name: 'Generate' }).click()
  await dialog.getByRole('button', { name: 'Add user' }).click()
  await dialog.getByText('Must consist of letters, digits').waitFor()
  await inspect('settings-users-add')
  await dialog.getByRole('textbox', { name: 'User name' }).fill('ada')
  await dialog.getByRole('button', { name: 'Add user' }).click()
  await page.getByRole('row', { name: /ada/ }).getByText('Member').waitFor()

  const act = async (action: string) => {
    await page.getByRole('button', { name: 'Actions for ada' }).click()
    await page.getByRole('menuitem', { name: action }).click()
  }
  await act('Make an admin')
  await dialog.getByRole('button', { name: 'Make an admin' }).click()
  await page.getByRole('row', { name: /ada/ }).getByText('Admin').waitFor()
  await act('Reset password')
  await dialog.getByRole('textbox', { name: 'Password' }).fill('another long password')
  await dialog.getByRole('button', { name: 'Reset password' }).click()
  await dialog.waitFor({ state: 'hidden' })
  await inspect('settings-users')
  await act('Delete')
  await dialog.getByRole('button', { name: 'Delete user' }).click()
  await page.getByRole('row', { name: /ada/ }).waitFor({ state: 'detached' })

  await open('/settings/audit-log')
  await page.getByRole('cell', { name: /admin deleted the user ada/ }).waitFor()
  await inspect('settings-audit-log')
  await page.getByRole('textbox', { name: 'Filter changes' }).fill('user.role')
  await page.getByRole('cell', { name: /deleted the user/ }).waitFor({ state: 'detached' })
  expect(await page.getByRole('cell', { name: /changed the role of ada/ }).count()).toBe(1)
  expect(new URL(page.url()).searchParams.get('q')).toBe('user.role')
  expect(problems.filter((each) => !each.includes('400'))).toEqual([])
  await close()
})

test('policies are disabled with the reason on an offline license', async () => {
  const { page, open, inspect, problems, close } = await adminVisit(install)
  await open('/settings/policies')
  await page.getByText('Policies need an online license').waitFor()
  expect(await page.getByRole('switch', { name: 'Websites' }).isDisabled()).toBe(true)
  await inspect('settings-policies-offline')
  await open('/settings/about')
  await page.getByText(process.versions.node, { exact: true }).waitFor()
  await inspect('settings-about')
  expect(problems).toEqual([])
  await close()
})

test('a member who opens a page of the settings reads who may', async () => {
  const { page, open, inspect, problems, close } = await memberVisit(install)
  await open('/settings/users')
  await page.getByText('Only admins can open this page.').waitFor()
  expect(await page.getByText('The license expires').count()).toBe(0)
  await inspect('settings-member')
  expect(problems).toEqual([])
  await close()
})
