import { stripVTControlCharacters } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type GitServer, startGitServer } from '../../fixtures/git-server.ts'
import { mcpClientOf } from '../../fixtures/mcp-client.ts'
import { page as markdown } from '../../fixtures/page.ts'
import { prepareDir } from '../../fixtures/server-process.ts'
import { startOnTerminal } from '../../fixtures/start-on-terminal.ts'
import { endVisits, password, visit } from '../../fixtures/web-visit.ts'

let git: GitServer
beforeAll(async () => {
  git = await startGitServer()
  await git.create('acme/anvil', { files: { 'README.md': markdown('Anvil', 'The anvil weighs a ton.') } })
})
afterAll(async () => {
  await endVisits()
  await git.close()
})

/** The share of Carrel in the first ten minutes, on a slow machine with other work. */
const maxSeconds = 120

test('a new admin gets from the start of the server to a connected agent with what the screen says', async () => {
  const seconds: Record<string, number> = {}
  let began = performance.now()
  const step = (name: string) => {
    seconds[name] = Math.round((performance.now() - began) / 100) / 10
    began = performance.now()
  }
  const server = await startOnTerminal(prepareDir(git.url).dataDir)
  const banner = stripVTControlCharacters(server.screen())
  const [, username = '', secret = ''] = /sign in as (\S+) with the password (\w+)/.exec(banner) ?? []
  expect([username, secret]).toEqual(['admin', 'admin'])
  step('start')

  const { page, open, problems, close } = await visit(server)
  await open('/')
  await page.getByText('Documentation of software libraries for AI agents').waitFor()
  expect(await page.title()).toBe('Sign in · Carrel')
  // The user name is filled in, and focus is in the password.
  await page.locator('input[type="password"]:focus').waitFor()
  await page.keyboard.type(secret)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Choose your own password' }).waitFor()
  step('sign in')

  await page.keyboard.type(password)
  await page.keyboard.press('Tab')
  await page.getByRole('textbox', { name: 'New password again' }).fill(password)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Add your first library' }).waitFor()
  expect(await page.title()).toBe('Add your first library · Setup · Carrel')
  step('own password')

  await page.getByRole('textbox', { name: 'Repository' }).fill('acme/anvil')
  await page.keyboard.press('Enter')
  await page.getByText('Ready', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Continue' }).click()
  step('first library')

  await page.getByRole('textbox', { name: /^A question to/ }).fill('How much does the anvil weigh?')
  await page.keyboard.press('Enter')
  await page.getByText('The anvil weighs a ton.').waitFor()
  await page.getByRole('button', { name: 'Continue' }).click()
  step('ask')

  await page.getByText('Waiting for the first request of Claude Code').waitFor()
  const client = await mcpClientOf(server, 'claude-code')
  const answer = await client.callTool({
    name: 'query-docs',
    arguments: { libraryId: '/acme/anvil', query: 'weight of the anvil' },
  })
  expect(JSON.stringify(answer.content)).toContain('weighs a ton')
  await client.close()
  await page.getByText(/Request of Claude Code received \d\d:\d\d:\d\d/).waitFor()
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('heading', { name: 'Carrel is set up' }).waitFor()
  step('connect an agent')

  await page.getByRole('link', { name: 'Open Carrel' }).click()
  await page.getByRole('heading', { name: 'Home' }).waitFor()
  expect(await page.getByRole('region', { name: 'Setup' }).count()).toBe(0)
  step('home')
  expect(problems.filter((each) => !each.includes('401'))).toEqual([])
  await close()

  const total = Object.values(seconds).reduce((sum, each) => sum + each, 0)
  process.stdout.write(
    `${Object.entries(seconds)
      .map(([name, each]) => `${name} ${each} s`)
      .join(', ')}; ${total.toFixed(1)} s in all\n`,
  )
  expect(total).toBeLessThan(maxSeconds)
})
