import { afterAll, beforeAll, expect, test } from 'vitest'
import { createUser } from '../../fixtures/create-user.ts'
import { mcpClientOf } from '../../fixtures/mcp-client.ts'
import { page as markdown } from '../../fixtures/page.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'
import { adminVisit, endVisits, memberVisit, password } from '../../fixtures/web-visit.ts'

let install: TestInstall
beforeAll(async () => {
  install = await testInstall()
})
afterAll(async () => {
  await endVisits()
  await install.close()
})

test('a member creates and revokes a key, ends another session and changes the password', async () => {
  const first = await memberVisit(install)
  const { page, open, inspect, problems, close } = await memberVisit(install)
  await open('/account')
  await page.getByText('You have no keys.').waitFor()
  await page.getByRole('button', { name: 'New key' }).click()
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Cursor on <b>my</b> laptop')
  await page.getByRole('button', { name: 'Create key' }).click()
  const key = await page.getByRole('dialog').locator('pre').innerText()
  expect((await install.ask('/api/keys', { key })).status).toBe(200)
  await inspect('account-new-key')
  await page.keyboard.press('Escape')
  await page.getByText('Copy your key').waitFor()
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('cell', { name: 'Cursor on <b>my</b> laptop' }).waitFor()
  expect(await page.content()).not.toContain(key)
  await inspect('account')
  await page.getByRole('button', { name: 'Revoke key' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke key' }).click()
  await page.getByText('You have no keys.').waitFor()
  expect((await install.ask('/api/keys', { key })).status).toBe(401)
  await page.getByRole('button', { name: 'New key' }).click()
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Cursor')
  await page.getByRole('button', { name: 'Create key' }).click()
  await page.getByRole('button', { name: 'Done' }).click()

  await page.getByRole('button', { name: 'End session' }).first().click()
  await page.getByRole('button', { name: 'End session' }).waitFor({ state: 'detached' })
  await first.open('/account')
  await first.page.getByRole('heading', { name: 'Sign in to Carrel' }).waitFor()

  for (const [label, text] of [
    ['Current password', password],
    ['New password', `${password} two`],
    ['New password again', `${password} two`],
  ] as const)
    await page.getByRole('textbox', { name: label, exact: true }).fill(text)
  await page.getByRole('checkbox', { name: 'Also revoke all my keys' }).check()
  await page.getByRole('button', { name: 'Change credentials' }).click()
  await page.getByText('Your credentials are changed.').waitFor()
  await page.getByText('You have no keys.').waitFor()
  expect(problems).toEqual([])
  await Promise.all([close(), first.close()])
})

test('a session that ends while a form is open asks for the password and keeps the entered text', async () => {
  const { page, context, open, inspect, close } = await memberVisit(install, 'eve')
  await page.clock.install()
  await open('/account')
  await page.getByRole('button', { name: 'New key' }).click()
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Half a form')
  const id = await createUser(install, { username: 'eve', password })
  install.app.users.change(id, { hash: await install.app.passwords.hash(`${password} new`) })
  await page.getByRole('button', { name: 'Create key' }).click()
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' })
  await dialog.waitFor()
  await inspect('session-ended')
  const name = dialog.getByLabel('User name')
  expect([await name.inputValue(), await name.isEditable()]).toEqual(['eve', false])
  await dialog.getByRole('textbox', { name: 'Password' }).fill(`${password} new`)
  await dialog.getByRole('button', { name: 'Sign in' }).click()
  await dialog.waitFor({ state: 'detached' })
  expect(await page.getByRole('textbox', { name: 'Name', exact: true }).inputValue()).toBe('Half a form')
  await page.getByRole('button', { name: 'Create key' }).click()
  await page.getByText('Copy your key').waitFor()

  // Nothing on this page needs a session, until the browser reads the session itself again.
  await open('/connect')
  await page.getByRole('heading', { name: 'Connect', exact: true }).waitFor()
  await context.clearCookies()
  await page.clock.fastForward('02:00')
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })))
  await dialog.waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await page.clock.fastForward('00:20')
  await page.getByRole('button', { name: 'Sign in again' }).click()
  await dialog.getByRole('link', { name: 'Sign in as someone else' }).click()
  await page.getByRole('heading', { name: 'Sign in to Carrel' }).waitFor()
  expect(await page.getByLabel('User name').isEditable()).toBe(true)
  await close()
})

test('a session that ends is noticed on every page, which stays unchanged', async () => {
  await install.git.create('acme/anvil', { files: { 'README.md': markdown('Anvil', 'The anvil weighs a ton.') } })
  await install.parse('acme/anvil')
  const { page, context, open, problems, close } = await adminVisit(install)
  await page.clock.install()
  const cookies = await context.cookies()
  const settings = ['ai-provider', 'embedding', 'git-hosts', 'permissions', 'policies', 'users', 'license', 'audit-log']
  const tabs = ['content', 'versions', 'reports', 'usage', 'settings'].map((tab) => `/libraries/acme/anvil?tab=${tab}`)
  const others = ['/', '/add', '/queue', '/playground', '/usage', '/connect', '/account', '/setup']
  for (const path of [...others, ...tabs, ...settings.map((name) => `/settings/${name}`)]) {
    await context.addCookies(cookies)
    await open(path)
    await page.locator('main h1, main h2').first().waitFor()
    await expect.poll(() => page.locator('.mantine-Skeleton-root').count()).toBe(0)
    await context.clearCookies()
    await page.clock.fastForward('02:00')
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })))
    await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.locator('main h1, main h2').first().waitFor()
    expect(await page.getByText(/cannot be (shown|loaded)/).count(), path).toBe(0)
  }
  expect(problems.filter((each) => !/status of 40[13]/.test(each))).toEqual([])
  await close()
})

test('the connect page shows real addresses, tests them, and creates a key if one is required', async () => {
  const { page, open, inspect, problems, close } = await memberVisit(install, 'lin')
  await open('/connect?client=cursor')
  await page.getByText('Other ways').click()
  const link = await page.getByRole('link', { name: 'Add to Cursor' }).getAttribute('href')
  const config = new URL(link ?? '').searchParams.get('config') ?? ''
  expect(JSON.parse(Buffer.from(config, 'base64').toString())).toEqual({ url: `${install.url}/mcp` })
  await page
    .getByText(`curl -fsSLo carrel.mjs ${install.url}/cli.mjs && node carrel.mjs setup --base-url ${install.url} --cursor`)
    .waitFor()
  expect(await page.getByText('npx').count()).toBe(0)
  await page.getByRole('button', { name: 'Test the server' }).click()
  await page
    .getByText(/The server reaches itself at this address in \d+ ms, .* the tools resolve-library-id, query-docs/)
    .waitFor()
  await page.getByText('Waiting for the first request of Cursor').waitFor()
  await inspect('connect')
  await (await mcpClientOf(install, 'claude-code')).close()
  await page.getByText(/Claude Code is connected: its last request was received \d\d:\d\d:\d\d/).waitFor()
  expect(await page.getByText('Waiting for the first request of Cursor').count()).toBe(1)
  await (await mcpClientOf(install, 'cursor-vscode')).close()
  await page.getByText(/Request of Cursor received \d\d:\d\d:\d\d/).waitFor()
  await inspect('connect-received')
  await page.getByRole('button', { name: 'Other client' }).click()
  await page.getByText('Any client that speaks Streamable HTTP').waitFor()
  await page.getByText('Waiting for the first request of another client').waitFor()
  expect(await page.getByText('carrel.mjs setup').count()).toBe(0)
  await inspect('connect-other')
  install.app.settings.change({ 'permissions.requireMcpAuth': true })
  await open('/connect?client=codex')
  await page.getByText('Other ways').click()
  await page.getByText('Authorization = "Bearer YOUR_KEY"').waitFor()
  await page.getByRole('button', { name: 'Make a key' }).click()
  await page.getByRole('button', { name: 'Create key' }).click()
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByText(/Authorization = "Bearer carrel_op_/).waitFor()
  await inspect('connect-key')
  install.app.settings.change({ 'permissions.requireMcpAuth': null, 'setup.package': '@acme/docs@2.0.0' })
  await open('/connect?client=cursor')
  await page.getByText('Other ways').click()
  await page.getByText(`npx @acme/docs@2.0.0 setup --base-url ${install.url} --cursor`).waitFor()
  install.app.settings.change({ 'setup.package': null })
  expect(problems).toEqual([])
  await close()
})

test('the connect page shows the public address below the path of PUBLIC_URL', async () => {
  const address = 'http://docs.example.com/carrel'
  const below = await testInstall({ env: { PUBLIC_URL: address } })
  const { page, open, problems, close } = await memberVisit(below, 'kim')
  await open('/carrel/connect?client=codex')
  await page
    .getByText(`curl -fsSLo carrel.mjs ${address}/cli.mjs && node carrel.mjs setup --base-url ${address} --codex`)
    .waitFor()
  await page.getByText('Other ways').click()
  await page.getByText(`url = "${address}/mcp"`).waitFor()
  const served = await fetch(`${below.url}/carrel/cli.mjs`)
  expect([served.status, served.headers.get('content-type')]).toEqual([200, 'text/javascript; charset=utf-8'])
  expect(problems).toEqual([])
  await close()
  await below.close()
})
