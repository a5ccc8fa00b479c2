import { afterAll, beforeAll, expect, test } from 'vitest'
import { createUser } from '../../fixtures/create-user.ts'
import { startCutProxy } from '../../fixtures/cut-proxy.ts'
import { page as written } from '../../fixtures/page.ts'
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
  await createUser(install, { username: 'linus', password })
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

test('a job that ends is announced on another page with a way to it, and many are one announcement', async () => {
  await install.git.create('acme/widgets', { files: { 'README.md': written('Widgets', 'The lever turns.') } })
  await install.git.create('acme/bare', { files: { 'main.c': 'int main;' } })
  const { page, open, problems, close } = await adminVisit(install)
  /** A job that ends before the page follows the server is no news to it. */
  const openAbout = async () => {
    const followed = page.waitForResponse((response) => new URL(response.url()).pathname === '/api/events')
    await open('/settings/about')
    await page.getByRole('heading', { name: 'About' }).waitFor()
    await followed
  }
  await openAbout()
  await install.queue('acme/widgets')
  await page.getByRole('status').getByText('/acme/widgets is ready.').waitFor()
  await page.getByRole('button', { name: 'Open' }).click()
  await page.waitForURL('**/libraries/acme/widgets')
  await openAbout()
  const failed = await install.queue('acme/bare')
  await page.getByRole('status').getByText('The job of /acme/bare failed.').waitFor()
  await page.getByRole('button', { name: 'Show job' }).click()
  await page.waitForURL(`**/queue?job=${failed}`)
  await openAbout()
  const many = Array.from({ length: 8 }, (_, at) => `acme/part-${at}`)
  for (const name of many) await install.git.create(name, { files: { 'README.md': written(name, 'A part.') } })
  const toasts: string[] = []
  await page.exposeFunction('noteToast', (text: string) => void toasts.push(text))
  await page.evaluate(() => {
    const note = (globalThis as unknown as { noteToast(text: string): void }).noteToast
    new MutationObserver((changes) => {
      for (const { addedNodes } of changes)
        for (const node of addedNodes)
          if (node instanceof Element && /ready|failed/.test(node.textContent)) note(node.textContent)
    }).observe(document.body, { childList: true, subtree: true })
  })
  await Promise.all(many.map((name) => install.queue(name)))
  await page.getByRole('status').getByText('8 libraries are ready.').waitFor()
  expect(new Set(toasts)).toEqual(new Set(['8 libraries are ready.Show jobs']))
  expect(problems).toEqual([])
  await close()
})

test('an error shows settings by their labels, as links to their fields', async () => {
  const { page, open, inspect, problems, close } = await adminVisit(install)
  await open('/settings/ai-provider')
  await page.getByLabel('Answers are reranked by').selectOption('Local model')
  await page.getByRole('button', { name: 'Test connection' }).click()
  const link = page.getByRole('link', { name: 'Model folder' })
  await link.waitFor()
  expect(await page.getByText('llm.rerankModel').count()).toBe(0)
  await inspect('error-labels')
  await link.click()
  await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('llm.rerankModel')
  expect(problems.filter((each) => !/status of 400/.test(each))).toEqual([])
  await close()
})

test('a dialog with entries asks before Escape closes it', async () => {
  const { page, open, problems, close } = await adminVisit(install)
  await open('/settings/users')
  await page.getByRole('button', { name: 'Add user' }).click()
  const name = page.getByRole('dialog').getByLabel('User name')
  const asked: string[] = []
  page.on('dialog', (dialog) => {
    asked.push(dialog.message())
    void (asked.length > 1 ? dialog.accept() : dialog.dismiss())
  })
  await name.fill('grace')
  await page.keyboard.press('Escape')
  expect(asked).toEqual(['Close this dialog? What you entered is not saved.'])
  expect(await name.inputValue()).toBe('grace')
  await page.keyboard.press('Escape')
  await name.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Add user' }).click()
  await name.waitFor()
  await page.keyboard.press('Escape')
  await name.waitFor({ state: 'detached' })
  expect(asked).toHaveLength(2)
  expect(problems).toEqual([])
  await close()
})

test('a form keeps its entries while the server is away: a repository, settings, sign-in', async () => {
  const proxy = await startCutProxy(install.url)
  await install.git.create('acme/returned', { files: { 'README.md': written('Returned', 'It came back.') } })
  const { page, close } = await adminVisit(proxy)
  const notice = page.getByRole('status').getByText('Carrel cannot be reached.')
  await page.goto(`${proxy.url}/add`)
  const repository = page.getByRole('textbox', { name: 'Repository' })
  await repository.fill(`${install.git.url}/acme/returned`)
  proxy.cut()
  await page.getByRole('button', { name: 'Add Repository' }).click()
  await notice.waitFor()
  proxy.restore()
  await notice.waitFor({ state: 'detached' })
  expect(await repository.inputValue()).toContain('acme/returned')
  await page.getByRole('button', { name: 'Add Repository' }).click()
  await page.waitForURL('**/queue')

  await page.goto(`${proxy.url}/settings/about`)
  const space = page.getByLabel('Space to keep free, in MB')
  await space.fill('900')
  proxy.cut()
  const save = page.getByRole('button', { name: 'Save', exact: true }).first()
  await save.click()
  await notice.waitFor()
  proxy.restore()
  await notice.waitFor({ state: 'detached' })
  expect(await space.inputValue()).toBe('900')
  await save.click()
  await page.getByRole('status').getByText('Settings saved.').waitFor()

  await page.context().clearCookies()
  await page.goto(`${proxy.url}/sign-in`)
  await page.getByLabel('User name').fill('admin')
  await page.getByRole('textbox', { name: 'Password' }).fill(password)
  proxy.cut()
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('alert').getByText('Carrel cannot be reached.').waitFor()
  proxy.restore()
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('navigation', { name: 'Main' }).waitFor()
  await close()
  await proxy.close()
})
