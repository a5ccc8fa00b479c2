import { afterAll, beforeAll, expect, test } from 'vitest'
import { page as markdown } from '../../fixtures/page.ts'
import { startOpenai } from '../../fixtures/providers/openai.ts'
import type { ProviderServer } from '../../fixtures/providers/provider-server.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'
import { adminVisit, endChromium, memberVisit } from '../../fixtures/web-visit.ts'

let install: TestInstall
let openai: ProviderServer
beforeAll(async () => {
  openai = await startOpenai()
  install = await testInstall()
  await install.git.create('acme/anvil', { files: { 'README.md': markdown('Anvil', 'The anvil weighs a ton.') } })
})
afterAll(async () => {
  await endChromium()
  await Promise.all([install.close(), openai.close()])
})

test('an admin goes through the setup, tests a provider, and adds the first library', async () => {
  const { page, open, inspect, problems, close } = await adminVisit(install)
  await open('/')
  await page.getByRole('region', { name: 'Setup' }).getByRole('link', { name: 'AI provider' }).waitFor()
  await inspect('libraries-checklist')
  await open('/setup')
  await page.getByRole('heading', { name: 'Choose an AI provider' }).waitFor()
  await inspect('setup-llm')
  await page.getByLabel('Provider').selectOption('custom')
  await page.getByRole('textbox', { name: 'Address' }).fill('nonsense')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText(/Must be/).waitFor()
  await page.getByRole('textbox', { name: 'Address' }).fill(openai.url)
  await page.getByRole('textbox', { name: 'Model' }).fill('test-model')
  await page.getByRole('textbox', { name: 'API key' }).fill('sk-0123456789abcdef')
  await page.getByRole('button', { name: 'Test connection' }).click()
  await page
    .locator('[aria-live]')
    .getByText(/ms|failed|answered/)
    .first()
    .waitFor()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Set, ends in cdef').waitFor()
  await inspect('setup-llm-saved')
  expect(await page.content()).not.toContain('0123456789')
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('heading', { name: 'Choose an embedding provider' }).waitFor()
  await page
    .getByRole('button', { name: 'Continue' })
    .or(page.getByRole('button', { name: 'Go on with text search' }))
    .click()
  await page.getByRole('heading', { name: 'Connect your git hosts' }).waitFor()
  await inspect('setup-git')
  await page.getByRole('button', { name: 'Skip for now' }).click()
  await page.getByRole('heading', { name: 'Add your first library' }).waitFor()
  await page.getByRole('textbox', { name: 'Repository' }).fill('acme/anvil')
  await page.getByRole('button', { name: 'Add library' }).click()
  await page.getByRole('heading', { name: 'Queue' }).waitFor()
  await open('/')
  await page.getByRole('row', { name: /acme\/anvil/ }).waitFor()
  expect(await page.getByRole('region', { name: 'Setup' }).count()).toBe(0)
  expect(problems.filter((each) => !each.includes('400'))).toEqual([])
  await close()
})

test('the setup and the settings of providers are for admins', async () => {
  const { page, open, close } = await memberVisit(install)
  for (const path of ['/setup', '/settings/ai-provider', '/settings/embedding', '/settings/git-hosts']) {
    await open(path)
    await page.getByText('Only admins can open this page.').waitFor()
  }
  await close()
})

test('a change in another tab is found before it is overwritten', async () => {
  const { page, open, inspect, close } = await adminVisit(install)
  await open('/settings/git-hosts')
  await page.getByRole('textbox', { name: 'Address' }).first().fill('https://git.example.com')
  await install.call('PATCH', '/api/settings', { 'github.baseUrl': 'https://other.example.com' })
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText(/github\.baseUrl changed since this page was loaded/).waitFor()
  await inspect('settings-git-conflict')
  await page.getByRole('button', { name: 'Reload' }).click()
  expect(await page.getByRole('textbox', { name: 'Address' }).first().inputValue()).toBe('https://other.example.com')
  await open('/settings/embedding')
  await page.getByRole('heading', { name: 'Embedding' }).waitFor()
  await inspect('settings-embedding')
  await close()
})
