import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { parse as parseToml } from 'smol-toml'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { page } from '../fixtures/page.ts'
import { requireProgram } from '../fixtures/require-program.ts'
import { type TestInstall, testInstall } from '../fixtures/test-install.ts'

const examples = new URL('../../examples', import.meta.url).pathname
const run = promisify(execFile)
let install: TestInstall

beforeAll(async () => {
  requireProgram('curl')
  install = await testInstall()
  const paint = 'Call `paint()`.\n\n```js\nwidget.paint("red")\n```\n'
  await install.git.create('acme/widgets', { files: { 'README.md': page('Widgets', paint) } })
})
afterAll(() => install.close())

test('curl.sh parses a repository and prints an answer', async () => {
  const env = { PATH: process.env.PATH, CARREL_URL: install.url, CARREL_KEY: install.keys.member }
  const words = [`${install.git.url}/acme/widgets`, 'widgets', 'how do I paint a widget']
  const { stdout } = await run(join(examples, 'curl.sh'), words, { env })
  expect(stdout).toMatch(/^Job \d+ is done.\nLibrary: \/acme\/widgets\n/)
  expect(stdout).toContain('widget.paint("red")')
})

test('curl.sh asks without a key, and fails with the error of the server', async () => {
  const env = { PATH: process.env.PATH, CARREL_URL: install.url }
  const { stdout } = await run(join(examples, 'curl.sh'), ['', 'widgets', 'how do I paint a widget'], { env })
  expect(stdout).toMatch(/^Library: \/acme\/widgets\n/)
  const failed = run(join(examples, 'curl.sh'), [`${install.git.url}/acme/widgets`], { env: { ...env, CARREL_KEY: 'wrong' } })
  await expect(failed).rejects.toMatchObject({ code: expect.any(Number), stderr: expect.stringContaining('invalid_api_key') })
})

test('client.ts finds a library and prints its snippets', async () => {
  const env = { PATH: process.env.PATH, CARREL_URL: install.url, CARREL_KEY: install.keys.member }
  const program = join(examples, 'client.ts')
  const { stdout } = await run(process.execPath, [program, 'widgets', 'how do I paint a widget'], { env })
  expect(stdout).toMatch(/^Widgets \(\/acme\/widgets\): /)
  expect(stdout).toContain('widget.paint("red")')
  await expect(run(process.execPath, [program, 'nothing-alike-7'], { env })).rejects.toThrow('no_libraries_found')
})

const configurations = readdirSync(join(examples, 'mcp'))

test('the examples have a configuration for each of the five clients', () => {
  expect(configurations).toEqual(['claude-code.json', 'codex.toml', 'cursor.json', 'opencode.json', 'vscode.json'])
})

test.each(configurations)('the address in mcp/%s reaches the server', async (name) => {
  const text = readFileSync(join(examples, 'mcp', name), 'utf8').replace('http://127.0.0.1:3000', install.url)
  const { mcpServers, servers, mcp, mcp_servers } = (name.endsWith('.toml') ? parseToml(text) : JSON.parse(text)) as Record<
    string,
    { carrel: { url: string } } | undefined
  >
  const url = (mcpServers ?? servers ?? mcp ?? mcp_servers)?.carrel.url ?? ''
  expect(url).toBe(`${install.url}/mcp`)
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(new StreamableHTTPClientTransport(new URL(url)))
  expect((await client.listTools()).tools.map((tool) => tool.name)).toEqual([
    'resolve-library-id',
    'query-docs',
    'list-pages',
    'read-page',
  ])
  await client.close()
})
