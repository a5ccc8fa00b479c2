import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, globSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { parse } from 'acorn'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { thirdPartyLicenses } from '../../packaging/third-party-licenses.ts'
import { packageVersion } from '../../shared/system/package-version.ts'
import { oldestNode } from '../../shared/system/require-node.cjs'
import { type ConnectProxy, startConnectProxy } from '../fixtures/connect-proxy.ts'
import { type GitServer, startGitServer } from '../fixtures/git-server.ts'
import { writeEncoder } from '../fixtures/local-models/tiny-model.ts'
import { installNode, type PackedInstall, packedInstall } from '../fixtures/packed-install.ts'
import { spawnPacked, startPacked } from '../fixtures/packed-server.ts'
import { page } from '../fixtures/page.ts'
import { startBedrock } from '../fixtures/providers/bedrock.ts'
import { startOpenai } from '../fixtures/providers/openai.ts'
import type { ProviderServer } from '../fixtures/providers/provider-server.ts'
import { runCarrelProcess, startOnTerminal } from '../fixtures/run-carrel.ts'
import { tempDir } from '../fixtures/temp-dir.ts'
import { until } from '../fixtures/until.ts'
import { useLazyPackages } from '../fixtures/use-lazy-packages.ts'

const root = new URL('../..', import.meta.url).pathname
const tlsFile = (name: string) => join(root, 'test/fixtures/tls', name)
const host = 'https://models.example'
const mb = 2 ** 20
/** A file of each format, whose reader is loaded when it is needed. */
const files = {
  'README.md': page('Anvil', 'The anvil weighs a ton.'),
  'docs/a.adoc': '= Adoc\n\nThe tongs of asciidoc hold iron.\n',
  'docs/b.rst': 'Rst\n===\n\nThe bellows of restructured text blow air.\n',
  'docs/c.html': '<html><body><h1>Html</h1><p>The hammer of hypertext hits hard.</p></body></html>',
  'docs/d.mdx': '# Mdx\n\nThe forge of components glows red.\n',
  'docs/e.ipynb': JSON.stringify({
    nbformat: 4,
    metadata: {},
    cells: [{ cell_type: 'markdown', source: '# Nb\n\nThe quench of notebooks.' }],
  }),
  'anvil/forge.py': 'def heat(iron):\n    """The fire of docstrings melts iron."""\n',
  'anvil/__init__.py': '',
  'docs/openapi.yaml': 'openapi: 3.1.0\ninfo: {title: Api, version: "1"}\npaths: {/nails: {get: {summary: Lists all nails}}}\n',
  'package.json': '{"name": "anvil"}',
  'pyproject.toml': '[project]\nname = "anvil"\n',
}

let git: GitServer
let proxy: ConnectProxy
let openai: ProviderServer
let bedrock: ProviderServer
let packed: PackedInstall

beforeAll(async () => {
  const tls = { key: readFileSync(tlsFile('models.key'), 'utf8'), cert: readFileSync(tlsFile('models.pem'), 'utf8') }
  git = await startGitServer({ tls })
  proxy = await startConnectProxy(git.url)
  openai = await startOpenai()
  bedrock = await startBedrock({ key: 'b', dimensions: 1024 })
  await git.create('acme/anvil', { files })
  packed = await packedInstall()
})
afterAll(() => Promise.all([git.close(), proxy.close(), openai.close(), bedrock.close(), packed.remove()]))

test('the production install is at most 300 MB and has no package but LanceDB', () => {
  const found = globSync('node_modules/**/*', { cwd: packed.folder }).map((path) => statSync(join(packed.folder, path)))
  expect(found.reduce((sum, { size }) => sum + size, 0)).toBeLessThan(300 * mb)
  const packages = globSync('node_modules/{*,@*/*}/package.json', { cwd: packed.folder })
  expect(packages.map((path) => path.split('/').slice(1, -1).join('/')).toSorted()).toEqual([
    expect.stringMatching(/^@lancedb\/lancedb-/),
    'carrel',
  ])
})

test('the package has the license files, and neither the hosted half nor tests nor paths of this machine', () => {
  const folder = join(packed.folder, 'node_modules/carrel')
  const read = (file: string) => readFileSync(join(folder, file), 'utf8')
  expect(read('LICENSE')).toMatch(/^ {3}Copyright 2026 The Carrel Authors$/m)
  expect(read('NOTICE')).toContain('THIRD-PARTY-LICENSES.txt')
  expect(read('THIRD-PARTY-LICENSES.txt')).toMatch(/^hono \S+ \(MIT\)$/m)
  const code = globSync('lib/*.js', { cwd: folder }).map(read).join('')
  expect(code).toMatch(/^\/\/ onprem\/server\.ts$/m)
  expect(code).not.toMatch(/^\/\/ (functions|test)\//m)
  expect(code).not.toContain(root)
})

test('the README of the package installs its file, and links only to files of the package', () => {
  const folder = join(packed.folder, 'node_modules/carrel')
  const readme = readFileSync(join(folder, 'README.md'), 'utf8')
  expect(readme).toContain('npm install --global ./carrel-')
  expect(readme).not.toContain('npm ci')
  const links = [...readme.matchAll(/\]\(([^)#:]+)[^)]*\)/g)].map(([, path = '']) => path)
  expect(links).toContain('docs/command-line.md')
  expect(links.filter((path) => !existsSync(join(folder, path)))).toEqual([])
})

test('a bundled package with another license fails the build', () => {
  const gpl = { name: 'gnu', version: '1.0.0', license: 'GPL-3.0-only', author: 'GNU', texts: ['GPL'] }
  expect(() => thirdPartyLicenses([gpl])).toThrow('gnu 1.0.0 has the license GPL-3.0-only, which is not in the list')
})

test('Node 14 can parse the launcher', () => {
  for (const file of [packed.bin, join(root, 'shared/system/require-node.cjs')])
    parse(readFileSync(file, 'utf8'), { ecmaVersion: 2020, sourceType: 'script', allowHashBang: true })
})

test.each(['20.20.2', '22.15.1', '23.11.0'])('Node %s is rejected with one sentence', async (version) => {
  const fake = `data:text/javascript,Object.defineProperty(process.versions,'node',{value:'${version}'})`
  const env = { NODE_OPTIONS: `--import "${fake}"` }
  const { code, err, out } = await runCarrelProcess(['--version'], { dataDir: tempDir(), main: packed.bin, env })
  expect({ code, out, err }).toEqual({
    code: 1,
    out: '',
    err: `carrel: Node ${version} cannot run Carrel; install Node 24 (supported: ^22.16.0 || >=24.0.0).\n`,
  })
})

test('the server logs one sentence with advice if the native module of LanceDB is missing', async () => {
  const folder = tempDir()
  cpSync(join(packed.folder, 'node_modules/carrel'), folder, { recursive: true })
  const child = spawnPacked({ bin: join(folder, 'bin/carrel.cjs') })
  for await (const line of createInterface({ input: child.stdout })) {
    const { level, error } = JSON.parse(line) as { level: number; error?: { message: string } }
    if (level < 50) continue
    expect(error?.message).toMatch(/^LanceDB's native module for \w+ \w+ is missing .* Install Carrel again/)
    break
  }
})

test('the commands in the error for HOST=0.0.0.0 are those of the package', async () => {
  const env = { PATH: process.env.PATH, DATA_DIR: tempDir(), PORT: '0', HOST: '0.0.0.0' }
  const start = promisify(execFile)(process.execPath, [packed.bin, 'start'], { env })
  const commands = /\n {2}carrel license keygen .*\$\(DATA_DIR=\S+ carrel license issue /s
  await expect(start).rejects.toMatchObject({ code: 1, stderr: expect.stringMatching(commands) })
})

test('the server on a terminal ends with Ctrl-C', async () => {
  const child = startOnTerminal(['start'], { dataDir: tempDir(), main: packed.bin, env: { PORT: '0', NODE_COMPILE_CACHE: '' } })
  let screen = ''
  child.stdout.on('data', (part) => {
    screen += part
  })
  await until(() => /http:\/\/127\.0\.0\.1:\d+/.test(screen))
  child.stdin.write('\x03')
  const [code] = await once(child, 'exit')
  expect({ code, screen }).toEqual({ code: 0, screen: expect.not.stringContaining('Error') })
})

test('the root is not packed, and npm pack names the command to use', async () => {
  const outcome = promisify(execFile)('npm', ['pack', '--dry-run'], { cwd: root })
  await expect(outcome).rejects.toMatchObject({ stderr: expect.stringContaining('Run: npm run build && npm pack ./dist') })
})

describe.each(['this', 'the oldest'])('the package with %s Node', (which) => {
  let node = process.execPath
  beforeAll(async () => {
    if (which === 'the oldest') node = await installNode(oldestNode, packed.folder)
  })

  test('starts, parses through a proxy, serves a question, and ends at SIGTERM', async () => {
    const dataDir = tempDir()
    writeEncoder(join(dataDir, 'models/tiny'))
    const carrel = (...words: string[]) => runCarrelProcess(words, { dataDir, main: packed.bin, node })
    expect(await carrel('--version')).toEqual({ code: 0, out: `${packageVersion()}\n`, err: '' })
    expect(await carrel('settings', 'set', 'github.baseUrl', host)).toMatchObject({ code: 0, err: '' })
    const { out } = await carrel('keys', 'create', '--name', 'test', '--role', 'admin')
    const env = { HTTPS_PROXY: proxy.url, NODE_EXTRA_CA_CERTS: tlsFile('models-ca.pem') }
    const server = await startPacked({ bin: packed.bin, node, dataDir, env, key: out.trim() })

    expect(await server.json('/api/health')).toMatchObject({ status: 'healthy', version: '2.0.0' })
    expect(await server.json('/api/openapi.json')).toMatchObject({ info: { version: '2.0.0' } })
    const { packages } = (await server.json('/api/about/licenses')) as { packages: { name: string; license: string }[] }
    const listed = readFileSync(join(packed.folder, 'node_modules/carrel/THIRD-PARTY-LICENSES.txt'), 'utf8').matchAll(
      /^\S+ \d\S* \(.+\)$/gm,
    )
    expect(packages).toHaveLength([...listed].length)
    const { queueId } = await server.json('/api/parse', { repoUrl: `${host}/acme/anvil`, apiReference: true })
    const job = () => server.json(`/api/jobs/${queueId}`)
    await until(async () => ['done', 'failed'].includes(String((await job()).state)))
    expect(await job()).toMatchObject({ state: 'done', report: { filesRead: 8, skipped: [] } })
    const ask = async (query: string) =>
      (await server.fetch(`/api/v2/context?${new URLSearchParams({ libraryId: '/acme/anvil', query })}`)).text()
    expect(await ask('how heavy is the anvil')).toContain('The anvil weighs a ton.')
    expect(await ask('welche Komponenten gibt es?')).toContain('The forge of components glows red.')

    const home = tempDir()
    const config = join(home, '.claude.json')
    writeFileSync(config, '{ /* mine */ "theme": "dark" }\n')
    const options = { dataDir: join(home, 'none'), cwd: home, env: { HOME: home, NODE_COMPILE_CACHE: '' } }
    const words = ['setup', '--base-url', server.url, '--claude', '--codex']
    const setup = await runCarrelProcess(words, { ...options, main: packed.bin, node })
    expect(setup).toMatchObject({ code: 0, err: '', out: expect.stringContaining('To undo: carrel setup --remove\n') })
    expect(readFileSync(config, 'utf8')).toMatch(/^\{ \/\* mine \*\/ "theme": "dark", "mcpServers": .*"carrel"/)
    const program = await (await server.fetch('/cli.mjs')).text()
    const removed = await runCarrelProcess(['setup', '--remove'], { ...options, main: '-', node, input: program })
    expect(removed).toMatchObject({ code: 0, err: '', out: expect.stringMatching(/restored +~\/\.claude\.json/) })
    expect(readdirSync(home)).toEqual(['.claude.json'])

    await useLazyPackages(server, { openai, bedrock })
    expect(await carrel('list')).toMatchObject({ code: 0, err: '', out: expect.stringContaining('/acme/anvil') })
    expect(await server.end()).toBe(0)
    expect(server.errors()).toEqual([])
    const alone = await carrel('ask', '/acme/anvil', 'how heavy is the anvil')
    expect(alone).toMatchObject({ code: 0, err: '', out: expect.stringContaining('The anvil weighs a ton.') })
  })
})
