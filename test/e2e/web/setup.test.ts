import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startGitApi } from '../../fixtures/git-api.ts'
import { mcpClientOf } from '../../fixtures/mcp-client.ts'
import { page as markdown } from '../../fixtures/page.ts'
import { startOpenai } from '../../fixtures/providers/openai.ts'
import type { ProviderServer } from '../../fixtures/providers/provider-server.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'
import { adminVisit, endVisits, memberVisit } from '../../fixtures/web-visit.ts'

let install: TestInstall
let openai: ProviderServer
beforeAll(async () => {
  openai = await startOpenai()
  install = await testInstall()
  await install.git.create('acme/anvil', { files: { 'README.md': markdown('Anvil', 'The anvil weighs a ton.') } })
})
afterAll(async () => {
  await endVisits()
  await Promise.all([install.close(), openai.close()])
})

test('an admin adds the first library, asks it, connects an agent, and finds models and git hosts as options', async () => {
  const { page, open, inspect, problems, close } = await adminVisit(install)
  await open('/')
  const checklist = page.getByRole('region', { name: 'Setup' })
  await checklist.getByText('1 of 4 done').waitFor()
  await inspect('home-checklist')
  await checklist.getByRole('link', { name: 'Add your first library' }).click()
  await page.getByText('Set up Carrel · step 1 of 3').waitFor()
  await inspect('setup-library')
  await page.getByRole('textbox', { name: 'Repository' }).fill('acme/anvil')
  await page.getByRole('button', { name: 'Add Repository' }).click()
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('heading', { name: 'Ask it a question' }).waitFor()
  await page.getByRole('textbox', { name: /^A question to/ }).fill('How much does the anvil weigh?')
  await page.getByRole('button', { name: 'Ask', exact: true }).click()
  await page.getByText('The anvil weighs a ton.').waitFor()
  await inspect('setup-ask')
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByText('Waiting for the first request of Claude Code').waitFor()
  expect(await page.getByRole('button', { name: 'Continue' }).count()).toBe(0)
  await inspect('setup-connect')
  await (await mcpClientOf(install, 'claude-code')).close()
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('heading', { name: 'Carrel is set up' }).waitFor()
  await inspect('setup-end')
  await page.getByRole('link', { name: 'Choose an LLM Provider' }).waitFor()
  await page.getByRole('link', { name: 'Open Carrel' }).click()
  await page.getByRole('heading', { name: 'Home' }).waitFor()
  expect(await checklist.count()).toBe(0)
  expect(problems).toEqual([])
  await close()
})

test('an admin tests and saves a provider as an option of the setup', async () => {
  const { page, open, inspect, problems, close } = await adminVisit(install)
  await open('/setup?step=llm')
  await page.getByRole('heading', { name: 'Choose an LLM Provider' }).waitFor()
  await inspect('setup-llm')
  await page.getByLabel('Provider').selectOption('custom')
  await page.getByRole('textbox', { name: 'Base URL' }).fill('nonsense')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText(/Must be/).waitFor()
  await page.getByRole('textbox', { name: 'Base URL' }).fill(openai.url)
  await page.getByRole('textbox', { name: 'LLM Model' }).fill('test-model')
  await page.getByRole('textbox', { name: 'LLM API Key' }).fill('sk-0123456789abcdef')
  await page.getByRole('button', { name: 'Test connection' }).click()
  await page.getByText(/test-model answered in \d+ ms\./).waitFor()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Set, ends in cdef').waitFor()
  await inspect('setup-llm-saved')
  expect(await page.content()).not.toContain('0123456789')
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('heading', { name: 'Carrel is set up' }).waitFor()
  await open('/setup?step=git')
  await page.getByRole('heading', { name: 'Connect your git hosts' }).waitFor()
  await inspect('setup-git')
  await page.getByRole('button', { name: 'Later' }).click()
  await page.getByRole('heading', { name: 'Carrel is set up' }).waitFor()
  expect(problems.filter((each) => !each.includes('400'))).toEqual([])
  await close()
})

test('the setup and the settings of providers are for admins', async () => {
  const { page, open, close } = await memberVisit(install)
  for (const path of ['/setup', '/settings/ai-provider', '/settings/embedding', '/settings/git-hosts']) {
    await open(path)
    await page.getByText('Only admins can open this page.').waitFor()
    await page.getByRole('link', { name: 'Show libraries' }).waitFor()
  }
  await close()
})

test('a change by another program or tab is found before it is overwritten, and the rest of the form stays', async () => {
  const { page, context, open, inspect, problems, close } = await adminVisit(install)
  await open('/settings/git-hosts')
  const [github, gitlab] = [
    page.getByRole('textbox', { name: 'GitHub address' }),
    page.getByRole('textbox', { name: 'GitLab address' }),
  ]
  await github.fill('https://git.example.com')
  await gitlab.fill('https://lab.example.com')
  await install.call('PATCH', '/api/settings', { 'github.baseUrl': 'https://other.example.com' })
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText(/GitHub address changed since this page was loaded/).waitFor()
  await inspect('settings-git-conflict')
  await page.getByRole('button', { name: 'Reload' }).click()
  expect(await github.inputValue()).toBe('https://other.example.com')
  expect(await gitlab.inputValue()).toBe('https://lab.example.com')

  const other = await context.newPage()
  await other.goto(page.url())
  await other.getByRole('textbox', { name: 'GitLab address' }).fill('https://third.example.com')
  await other.getByRole('button', { name: 'Save' }).click()
  await page.bringToFront()
  await page.getByText(/GitLab address changed since this page was loaded/).waitFor()
  await page.getByRole('button', { name: 'Reload' }).click()
  expect(await gitlab.inputValue()).toBe('https://third.example.com')
  expect(problems.filter((each) => !each.includes('412'))).toEqual([])
  await close()
})

test('a git token is tested, stored, removed, and deleted with its address, and the page announces it', async () => {
  const token = 'ghp_0123456789abcdef'
  const host = await startGitApi({ [token]: 'ada' })
  await install.call('PATCH', '/api/settings', { 'github.baseUrl': host.url, 'gitlab.baseUrl': null })
  const { page, open, inspect, problems, close } = await adminVisit(install)
  await open('/settings/git-hosts')
  const field = page.getByRole('textbox', { name: 'GitHub Token' })
  await page.getByRole('button', { name: 'Test connection' }).click()
  await page.getByText('GitHub: the address responds.').waitFor()
  await field.fill('ghp_wrong')
  await page.getByRole('button', { name: 'Test connection' }).click()
  await page.getByText(/rejected the token \(401\)\. Create a new one there, and save it as GitHub Token/).waitFor()
  await inspect('settings-git-wrong-token')
  await field.fill(token)
  await page.getByRole('button', { name: 'Test connection' }).click()
  await page.getByText('GitHub: the token belongs to ada.').waitFor()
  expect(await page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true)
  await inspect('settings-git-choose-private')
  await page.getByRole('button', { name: 'Only people and agents with a key' }).click()
  await page.getByText('Who can read private libraries?').waitFor({ state: 'detached' })
  expect(install.app.settings.get('permissions.hidePrivate')).toBe(true)
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Set, ends in cdef').waitFor()

  const stored = async () => (await install.call('GET', '/api/settings')).body['github.token']
  await page.getByRole('button', { name: 'Remove' }).click()
  await page.getByText('Removed when you save').waitFor()
  await page.getByRole('button', { name: 'Keep' }).click()
  expect(await stored()).toEqual({ set: true, last4: 'cdef' })
  await page.getByRole('textbox', { name: 'GitHub address' }).fill('https://moved.example.com')
  await page.getByText('The stored GitHub Token belongs to the old address.').waitFor()
  await inspect('settings-git-moved')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('The stored GitHub Token belonged to the old address and was deleted.').waitFor()
  expect(await stored()).toBeNull()

  await field.fill(token)
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('button', { name: 'Remove' }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  await field.waitFor()
  await expect.poll(stored).toBeNull()
  // The choice changed a setting that the form does not have, so its save was repeated.
  expect(problems.filter((each) => !each.includes('412'))).toEqual([])
  await Promise.all([close(), host.close()])
})

test('another embedding model offers to index again with its cost, and shows the progress', async () => {
  const moved = { 'embedding.provider': 'custom', 'embedding.baseUrl': openai.url, 'embedding.model': 'test-embedding' }
  await install.call('PATCH', '/api/settings', { ...moved, 'embedding.apiKey': 'sk-0123456789abcdef', 'github.baseUrl': null })
  const { page, open, inspect, problems, close } = await adminVisit(install)
  await open('/settings/embedding')
  await page.getByText('1 library has other vectors').waitFor()
  await page.getByText(/That embeds up to \d+ texts?, \d+ tokens? in all\./).waitFor()
  await inspect('settings-embedding')
  openai.failAlways({ kind: 'slow', ms: 1_000 })
  const answers = await holdAnswers(page, '**/api/reindex')
  await page.getByRole('button', { name: 'Index again' }).click()
  const progress = page.getByRole('progressbar', { name: 'Progress of indexing again' })
  // At 0 % the bar has no width.
  await progress.waitFor({ state: 'attached' })
  await expect.poll(needed).toBe(0)
  await progress.waitFor({ state: 'detached' })
  // The page must not show the old answer before the new one comes.
  expect(await page.getByText('other vectors').count()).toBe(0)
  answers.release()
  expect(problems).toEqual([])
  await close()
})

test('the offer to index again disappears even if the job ends before the page has read it', async () => {
  openai.failAlways()
  await install.call('PATCH', '/api/settings', { 'embedding.model': 'other-embedding' })
  const { page, open, problems, close } = await adminVisit(install)
  await open('/settings/embedding')
  await page.getByText('1 library has other vectors').waitFor()
  const answers = await holdAnswers(page, '**/api/jobs?*')
  await page.getByRole('button', { name: 'Index again' }).click()
  await expect.poll(needed).toBe(0)
  answers.release()
  await page.getByText('other vectors').waitFor({ state: 'hidden' })
  expect(problems).toEqual([])
  await close()
})

test('a local model needs only the name of its folder, and its test reports what is missing', async () => {
  await install.call('PATCH', '/api/settings', { 'llm.provider': null, 'embedding.provider': null, 'embedding.model': null })
  const { page, open, inspect, problems, close } = await adminVisit(install)
  await open('/settings/embedding')
  await page.getByLabel('Provider').selectOption('Local model')
  await page.getByRole('textbox', { name: 'Model folder' }).fill('absent-encoder')
  expect(await page.getByRole('textbox', { name: 'Embedding base URL' }).count()).toBe(0)
  await page.getByRole('button', { name: 'Test connection' }).click()
  await page.getByText('There is no model "absent-encoder"').waitFor()
  await inspect('settings-embedding-local')
  await open('/settings/ai-provider')
  await page.getByLabel('Answers are reranked by').selectOption('Local model')
  await page.getByRole('textbox', { name: 'Model folder' }).fill('absent-cross')
  await page.getByRole('button', { name: 'Test connection' }).click()
  await page.getByText('There is no model "absent-cross"').waitFor()
  await page.getByRole('button', { name: 'Save' }).click()
  await expect.poll(async () => (await install.call('GET', '/api/settings')).body['llm.rerankModel']).toBe('absent-cross')
  await inspect('settings-rerank-local')
  expect(problems).toEqual([])
  await close()
})

const needed = async () => (await install.call('GET', '/api/reindex')).body.needed

/** Holds the answers of GET requests to these URLs until they are released. */
async function holdAnswers(page: Page, urls: string): Promise<{ release(): void }> {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  await page.route(urls, async (route) => {
    if (route.request().method() === 'GET') await released
    await route.continue()
  })
  return { release }
}
