import { readFileSync } from 'node:fs'
import JSZip from 'jszip'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'
import { adminVisit, endVisits, memberVisit, password } from '../../fixtures/web-visit.ts'

const dayMs = 86_400_000

let install: TestInstall
beforeAll(async () => {
  const expiresAt = new Date(Date.now() + 10.5 * dayMs).toISOString()
  const license = { kind: 'offline', customer: 'Acme \u202egnitseT', expiresAt } as const
  install = await testInstall({ license })
})
afterAll(async () => {
  await endVisits()
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

  await page.route('**/api/support-bundle', (route) => route.abort())
  await page.getByRole('button', { name: 'Download' }).click()
  await page.getByRole('alert').getByText('Carrel cannot be reached. Check that the server is running.').waitFor()

  await settings.getByRole('link', { name: 'About' }).click()
  await page.getByText(process.versions.node, { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Show the packages' }).click()
  await page.getByRole('button', { name: 'MIT, license of hono', exact: true }).click()
  await page.getByRole('region', { name: 'License of hono', exact: true }).getByText('Permission is hereby granted').waitFor()
  await page.getByRole('button', { name: 'MIT, license of hono', exact: true }).click()
  expect(problems.filter((each) => !each.includes('ERR_FAILED'))).toEqual([])
  await close()
})

test('an offline license keeps a policy for a later online one, and an admin changes the own credentials at any time', async () => {
  const { page, open, inspect, problems, close } = await adminVisit(install)
  await open('/settings/policies')
  await page.getByText('Kept for an online license').waitFor()
  expect(await page.getByText('can be found').count()).toBe(0)
  await page.getByRole('switch', { name: 'Websites' }).click()
  await page.getByRole('button', { name: 'Save policy' }).click()
  await expect
    .poll(async () => (await install.call('GET', '/api/v2/policies')).body)
    .toMatchObject({
      sourceTypes: { websites: { enabled: false } },
    })
  await inspect('settings-policies-offline')
  await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'Change Credentials' }).click()
  for (const [label, text] of [
    ['Current password', password],
    ['User name', 'grace'],
    ['New password', `${password} two`],
    ['New password again', `${password} two`],
  ] as const)
    await page.getByRole('textbox', { name: label, exact: true }).fill(text)
  await inspect('settings-change-credentials')
  await page.getByRole('button', { name: 'Change credentials' }).click()
  await page.getByText('Your credentials are changed.').waitFor()
  await page.getByRole('button', { name: 'Account of grace' }).waitFor()
  await open('/settings/about')
  await page.getByText(process.versions.node, { exact: true }).waitFor()
  await inspect('settings-about')
  await page.getByLabel('Space to keep free, in MB').fill('2500')
  await page.getByRole('button', { name: 'Save' }).first().click()
  await page.getByRole('status').getByText('Settings saved.').waitFor()
  expect(install.app.settings.get('storage.minFreeMb')).toBe(2_500)
  await inspect('settings-saved')
  expect(problems).toEqual([])
  await close()
})

test('a member who opens a page of the settings reads who may change them', async () => {
  const { page, open, inspect, problems, close } = await memberVisit(install)
  const asked: string[] = []
  page.on('request', (request) => asked.push(new URL(request.url()).pathname))
  for (const name of ['permissions', 'policies', 'license', 'audit-log', 'support', 'about', 'users']) {
    await open(`/settings/${name}`)
    await page.getByText('Only admins can open this page.').waitFor()
  }
  expect(asked.filter((path) => /^\/api\/(settings|users|policies|license|audit|support|about)/.test(path))).toEqual([])
  expect(await page.getByText('The license expires').count()).toBe(0)
  await inspect('settings-member')
  expect(problems).toEqual([])
  await close()
})
