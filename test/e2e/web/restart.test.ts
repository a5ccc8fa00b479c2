import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePort } from '../../fixtures/free-port.ts'
import { type GitServer, startGitServer } from '../../fixtures/git-server.ts'
import { snippetsOf } from '../../fixtures/imports.ts'
import { mcpClientOf } from '../../fixtures/mcp-client.ts'
import { page as markdown } from '../../fixtures/page.ts'
import { prepareDir, type ServerProcess, startServer } from '../../fixtures/server-process.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'
import { adminVisit, endVisits } from '../../fixtures/web-visit.ts'

let git: GitServer
beforeAll(async () => {
  git = await startGitServer()
  await git.create('acme/anvil', { files: { 'README.md': markdown('Anvil', 'The anvil weighs a ton.') } })
})
afterAll(async () => {
  await endVisits()
  await git.close()
})

/** A server whose process ends and starts again with the same data, at the same address. */
async function restartable() {
  const dir = prepareDir(git.url)
  const env = { PORT: String(await freePort()) }
  let server: ServerProcess = await startServer(dir, env)
  return {
    url: server.url,
    call: (...request: Parameters<ServerProcess['call']>) => server.call(...request),
    stop: async () => expect(await server.end()).toBe(0),
    start: async () => {
      server = await startServer(dir, env)
    },
  }
}

const away = 'Carrel cannot be reached. This page stays as it is'

test('a question that is asked while the server restarts keeps its words, and its answer appears when the server is back', async () => {
  const server = await restartable()
  await server.call('POST', '/api/parse', { repoUrl: `${git.url}/acme/anvil` })
  await expect.poll(async () => (await server.call('GET', '/api/projects?state=finalized')).body.total).toBe(1)
  const { page, close } = await adminVisit(server)
  await page.goto(`${server.url}/playground?libraries=%2Facme%2Fanvil`)
  const question = page.getByRole('textbox', { name: 'Question' })
  await question.fill('How much does the anvil weigh?')
  await server.stop()
  await question.press('Enter')
  await page.getByRole('alert').filter({ hasText: 'Carrel cannot be reached' }).waitFor()
  await page.getByRole('status').filter({ hasText: away }).waitFor()
  await server.start()
  await page.getByText('The anvil weighs a ton.').waitFor()
  await page.getByText(away).waitFor({ state: 'detached' })
  expect(await question.inputValue()).toBe('How much does the anvil weigh?')
  await close()
})

test.each(['/connect', '/setup?step=connect'])(
  '%s waits for an agent through a restart, and remembers its request through another',
  async (path) => {
    const server = await restartable()
    const { page, close } = await adminVisit(server)
    await page.goto(server.url + path)
    const waiting = page.getByText('Waiting for the first request of Claude Code')
    await waiting.waitFor()
    await server.stop()
    await page.getByRole('status').filter({ hasText: away }).waitFor()
    expect(await waiting.isVisible()).toBe(true)
    await server.start()
    await page.getByText(away).waitFor({ state: 'detached' })
    const client = await mcpClientOf(server, 'claude-code')
    await client.listTools()
    await client.close()
    const received = page.getByText(/Request of Claude Code received/)
    await received.waitFor()
    await server.stop()
    await server.start()
    await page.reload()
    await received.waitFor()
    await close()
  },
)

test('a page that is opened while the server restarts opens when it is back, and the page before it stays until then', async () => {
  const server = await restartable()
  const { page, close } = await adminVisit(server)
  await page.goto(`${server.url}/libraries`)
  await page.getByText('No libraries yet').waitFor()
  await server.stop()
  await page.getByRole('link', { name: 'Connect', exact: true }).click()
  await page.getByRole('status').filter({ hasText: away }).waitFor()
  await page.getByText('No libraries yet').waitFor()
  await server.start()
  await page.getByRole('heading', { name: 'Add Carrel to Claude Code' }).waitFor()
  await page.getByText(away).waitFor({ state: 'detached' })
  await close()
})

test('an upload that a restart cuts off imports nothing, keeps the chosen file, and is repeated with one click', async () => {
  const server = await restartable()
  const file = join(tempDir(), 'slow.json')
  const bundle = JSON.stringify({ libraries: [{ project: '/acme/slow', ...snippetsOf('The lever turns.') }] })
  writeFileSync(file, bundle + ' '.repeat(8 * 2 ** 20))
  const { page, context, close } = await adminVisit(server)
  await page.goto(`${server.url}/add?from=bundle`)
  const session = await context.newCDPSession(page)
  await session.send('Network.enable')
  const limit = (uploadThroughput: number) =>
    session.send('Network.emulateNetworkConditions', { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput })
  await limit(256 * 1024)
  await page.locator('input[type=file]').setInputFiles(file)
  const start = page.getByRole('button', { name: 'Import', exact: true })
  await start.click()
  await page.getByText(/% uploaded/).waitFor()
  await server.stop()
  await page.getByRole('alert').filter({ hasText: 'The connection was lost during the upload. Nothing was imported' }).waitFor()
  await page.getByRole('status').filter({ hasText: away }).waitFor()
  await server.start()
  await page.getByText(away).waitFor({ state: 'detached' })
  expect((await server.call('GET', '/api/projects')).body.total).toBe(0)
  await page.getByText('slow.json').waitFor()
  await limit(-1)
  await start.click()
  await page.getByRole('heading', { name: '1 library queued' }).waitFor()
  await expect.poll(async () => (await server.call('GET', '/api/projects')).body.total).toBe(1)
  await close()
})
