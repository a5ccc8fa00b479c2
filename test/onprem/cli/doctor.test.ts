import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { secretBox } from '../../../shared/settings/secret-box.ts'
import { openDatabase } from '../../../shared/store/database.ts'
import { migrations } from '../../../shared/store/migrations.ts'
import { openDataDir } from '../../../shared/store/open-data-dir.ts'
import { sqliteSettings } from '../../../shared/store/settings-store.ts'
import { runCarrel, runCarrelProcess, runOnTerminal } from '../../fixtures/run-carrel.ts'
import type { Outcome } from '../../fixtures/run-here.ts'
import { startServer } from '../../fixtures/server-process.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'

type Line = { check: string; state: string; message: string; advice?: string }

let dataDir: string
beforeEach(() => {
  dataDir = join(tempDir(), 'data')
})

/** PORT is 0, so that no other program can be in the way. */
async function doctor(env: Record<string, string> = {}, ...words: string[]) {
  return answerOf(await runCarrel(['doctor', '--json', ...words], { dataDir, env: { PORT: '0', ...env } }))
}

function answerOf({ code, out, err }: Outcome) {
  const lines = JSON.parse(out) as Line[]
  return { code, out, err, lines, of: (check: string) => lines.filter((line) => line.check === check) }
}

function change(changes: Record<string, unknown>): void {
  const db = openDatabase(openDataDir(dataDir))
  sqliteSettings(db, secretBox(dataDir)).change(changes)
  db.close()
}

/** A program that accepts connections and never responds. */
async function silentServer(): Promise<{ port: number; server: Server }> {
  const server = createServer()
  onTestFinished(() => void server.close())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return { server, port: typeof address === 'object' && address ? address.port : 0 }
}

test('doctor reports no problem before the first start, and does not create the data directory', async () => {
  const { code, err, lines, of } = answerOf(await runCarrelProcess(['doctor', '--json'], { dataDir, env: { PORT: '0' } }))
  expect({ code, err }).toEqual({ code: 0, err: '' })
  expect(lines.filter(({ state, check }) => state !== 'ok' && check !== 'data' && check !== 'temp')).toEqual([])
  const checks = [
    'versions',
    'lancedb',
    'git',
    'environment',
    'data',
    'temp',
    'server',
    'port',
    'proxy',
    'license',
    'models',
    'clients',
  ]
  expect([...new Set(lines.map(({ check }) => check))]).toEqual(checks)
  expect(of('data')[0]?.message).toBe(`DATA_DIR ${dataDir} does not exist yet; the first start creates it.`)
  expect(existsSync(dataDir)).toBe(false)
})

/** The bytes of each file of the data directory. */
const filesOf = (): Record<string, string> =>
  Object.fromEntries(readdirSync(dataDir).map((name) => [name, readFileSync(join(dataDir, name), 'base64')]))

describe('doctor', () => {
  const elsewhere = { 'github.baseUrl': 'http://127.0.0.1:1', 'gitlab.baseUrl': 'http://127.0.0.1:1' }

  test('leaves the install unchanged when it reads its database', async () => {
    change(elsewhere)
    const before = filesOf()
    const { of } = await doctor({ LICENSE_KEY: 'forged' }, '--git-hosts')
    expect(filesOf()).toEqual(before)
    expect(of('license')).toMatchObject([{ message: expect.stringContaining('The license in LICENSE_KEY is forged') }])
    expect(of('models')).toMatchObject([{ message: 'Search works by words alone, and no text leaves this server for it.' }])
    expect(of('git hosts')).toMatchObject([{ message: expect.stringContaining('127.0.0.1:1') }, {}])
  })

  test.each([
    ['an older', -1, 'warning', 'The next start of this version migrates it.', 0],
    ['a newer', 1, 'problem', 'Use the Carrel of that version.', 1],
  ])('reports a database of %s version and leaves it unchanged', async (age, difference, state, advice, exitCode) => {
    change(elsewhere)
    const db = new DatabaseSync(join(dataDir, 'carrel.db'))
    db.exec(`PRAGMA user_version = ${migrations.length + difference}`)
    db.close()
    const before = filesOf()
    const { code, of } = await doctor({ LICENSE_KEY: 'forged' }, '--git-hosts')
    expect(filesOf()).toEqual(before)
    const message = `Not checked: the database is of ${age} version.`
    for (const check of ['license', 'models', 'git hosts']) expect(of(check)).toEqual([{ check, state, message, advice }])
    expect(code).toBe(exitCode)
  })

  test('reports an empty data directory and leaves it unchanged', async () => {
    openDataDir(dataDir)
    const { of } = await doctor({ LICENSE_KEY: 'some' })
    expect(of('data')).toContainEqual({
      check: 'data',
      state: 'ok',
      message: `DATA_DIR ${dataDir} holds no install yet; the first start creates one.`,
    })
    expect(readdirSync(dataDir)).toEqual([])
  })
})

test('the output is tab-separated in a pipe and a table on a terminal', async () => {
  const options = { dataDir, env: { PORT: '0' } }
  const { out } = await runCarrel(['doctor'], options)
  expect(out).toMatch(/^ok\tversions\tCarrel [\d.]+, Node [\d.]+, /)
  const { code, screen } = await runOnTerminal(['doctor'], options)
  expect({ code, screen }).toEqual({
    code: 0,
    screen: expect.stringMatching(/^STATE {2,}CHECK {2,}RESULT\nok {2,}versions {2,}Carrel /),
  })
})

test('a running server is found, with its address, its license and its warnings', async () => {
  openDataDir(dataDir)
  const { url, child } = await startServer({ dataDir, key: '' })
  const { code, out, of } = await doctor({ PORT: new URL(url).port })
  expect(code).toBe(0)
  expect(of('server')).toEqual([
    {
      check: 'server',
      state: 'ok',
      message: expect.stringMatching(
        new RegExp(`^Server [\\d.]+ runs at ${url} \\(process ${child.pid}\\) and serves 0 libraries\\.$`),
      ),
    },
  ])
  expect(of('mcp')).toEqual([
    { check: 'mcp', state: 'ok', message: 'MCP clients of both eras can connect, up to the protocol 2026-07-28.' },
  ])
  expect(of('port')).toEqual([])
  expect(of('license')).toMatchObject([{ state: 'ok', message: expect.stringMatching(/^The offline license is valid until 20/) }])
  expect(of('models')).toMatchObject([{ state: 'ok' }])
  const { token } = JSON.parse(readFileSync(join(dataDir, 'server.json'), 'utf8'))
  expect(out).not.toContain(token)

  const elsewhere = { dataDir: join(tempDir(), 'other'), env: { PORT: new URL(url).port } }
  const other = await runCarrel(['doctor'], elsewhere)
  expect(other.code).toBe(1)
  expect(other.out).toMatch(/^problem\tport\tPort \d+ is used by Carrel with another data directory\. Stop it, or set PORT/m)
})

test('a running server that MCP clients cannot reach at its address is a warning', async () => {
  openDataDir(dataDir)
  await startServer({ dataDir, key: '' }, { PUBLIC_URL: 'http://127.0.0.1:9' })
  const { code, of } = await doctor()
  expect({ code, found: of('mcp') }).toEqual({
    code: 0,
    found: [
      {
        check: 'mcp',
        state: 'warning',
        message: expect.stringMatching(/^http:\/\/127\.0\.0\.1:9\/mcp cannot be used: /),
        advice: 'Check PUBLIC_URL and the proxy in front of the server.',
      },
    ],
  })
})

describe('a problem', () => {
  test('is a line with advice, and causes exit code 1', async () => {
    const { port } = await silentServer()
    const { code, of } = await doctor({
      PATH: tempDir(),
      PORT: String(port),
      HTTPS_PROXY: 'http://bad proxy',
      LICENSE_KEY: '',
      HOST: '127.0.0.1',
    })
    expect(code).toBe(1)
    expect(of('git')).toMatchObject([{ state: 'problem', message: expect.stringContaining('git is not installed') }])
    expect(of('port')).toEqual([
      {
        check: 'port',
        state: 'problem',
        message: `Port ${port} is used by another program.`,
        advice: 'Stop it, or set PORT to another port.',
      },
    ])
    expect(of('proxy')).toMatchObject([{ state: 'problem' }])
    expect(existsSync(dataDir)).toBe(false)
  })

  test.each([
    ['PORT', 'abc', 'environment'],
    ['PUBLIC_URL', 'nonsense', 'environment'],
    ['HOST', '192.0.2.1', 'port'],
    ['HOST', '0.0.0.0', 'license'],
    ['LICENSE_KEY', 'forged', 'license'],
    ['NODE_EXTRA_CA_CERTS', '/no/such/file', 'proxy'],
    ['TMPDIR', '/no/such/folder', 'temp'],
  ])('is reported by the check for %s=%s, which is "%s", and the others run', async (name, value, check) => {
    change({})
    const { code, lines, of } = await doctor({ [name]: value })
    expect(code).toBe(1)
    expect(of(check)).toMatchObject([{ state: 'problem' }])
    expect(lines.at(-1)?.check).toBe('clients')
  })

  test('is reported for a data directory with a file in its way, or one that others can open', async () => {
    const file = join(tempDir(), 'file')
    writeFileSync(file, '')
    for (const path of [file, join(file, 'data')]) {
      const { code, of } = await doctor({ DATA_DIR: path })
      expect({ code, data: of('data') }).toMatchObject({
        code: 1,
        data: [{ state: 'problem', message: expect.stringContaining(path) }],
      })
    }
    openDataDir(dataDir)
    chmodSync(dataDir, 0o755)
    const { code, of } = await doctor()
    expect(code).toBe(0)
    expect(of('data')[0]).toEqual({
      check: 'data',
      state: 'warning',
      message: `Other users can open DATA_DIR ${dataDir}.`,
      advice: `Run: chmod 700 ${dataDir}`,
    })
  })

  test.runIf(process.getuid?.() === 0)(
    'is reported for the database of another user, but not for the folder of another user',
    async () => {
      openDataDir(dataDir)
      openDatabase(dataDir).close()
      chownSync(dataDir, 4711, 0)
      const message = `DATA_DIR ${dataDir} is writable, and its install belongs to this user.`
      expect((await doctor()).of('data')[0]).toMatchObject({ state: 'ok', message })
      chownSync(join(dataDir, 'carrel.db'), 4711, 0)
      expect((await doctor()).of('data')[0]).toMatchObject({ state: 'warning', message: expect.stringContaining('uid 4711') })
    },
  )

  test('is found in time for a provider that rejects requests or does not respond, and no secret is printed', async () => {
    const { port } = await silentServer()
    const secrets = { 'github.token': 'ghp_0123456789', 'llm.apiKey': 'sk-0123456789' }
    change({ 'llm.provider': 'custom', 'llm.baseUrl': `http://127.0.0.1:${port}/v1`, 'llm.model': 'm', ...secrets })
    const hanging = await doctor({ HTTPS_PROXY: 'http://user:sesame@127.0.0.1:9' })
    expect(hanging.code).toBe(1)
    expect(hanging.of('models')).toMatchObject([{ state: 'problem', message: 'A model provider did not respond within 10 s.' }])
    expect(hanging.of('proxy')).toMatchObject([{ state: 'ok', message: 'Connections use the proxy http://127.0.0.1:9.' }])
    expect(hanging.out).not.toMatch(/0123456789|6789|sesame/)
  })
})

test('the git hosts receive requests only with --git-hosts', async () => {
  const { port, server } = await silentServer()
  let asked = 0
  server.on('connection', (socket) => {
    asked++
    socket.end('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n')
  })
  change({ 'github.baseUrl': `http://127.0.0.1:${port}`, 'gitlab.baseUrl': 'http://127.0.0.1:9' })
  expect((await doctor()).code).toBe(0)
  expect(asked).toBe(0)
  const { code, of } = await doctor({}, '--git-hosts')
  expect({ code, asked }).toEqual({ code: 1, asked: 1 })
  expect(of('git hosts').map(({ state, message }) => [state, message])).toEqual([
    ['ok', `127.0.0.1:${port} is reachable.`],
    ['problem', expect.stringContaining('127.0.0.1:9 cannot be reached')],
  ])
})

test.each([
  ['doctor now', "too many arguments for 'doctor'. Expected 0 arguments but got 1: now; add --help for usage."],
  ['doctor --jsn', "unknown option '--jsn' (Did you mean --json?)"],
])('the command "%s" is wrong usage', async (words, message) => {
  expect(await runCarrel(words.split(' '), { dataDir })).toEqual({ code: 2, out: '', err: `carrel: ${message}\n` })
})

test('the address of an AI client is printed without user name, password and query', async () => {
  const home = tempDir()
  mkdirSync(join(home, '.cursor'))
  const server = { url: 'http://ada:s3cret@127.0.0.1:9/mcp?key=s3cret' }
  writeFileSync(join(home, '.cursor/mcp.json'), JSON.stringify({ mcpServers: { carrel: server } }))
  const { out, of } = await doctor({ HOME: home })
  expect(of('clients')).toMatchObject([
    {
      state: 'problem',
      message: expect.stringMatching(/^Cursor \(~\/\.cursor\/mcp\.json\): http:\/\/127\.0\.0\.1:9\/mcp cannot/),
    },
  ])
  expect(out).not.toContain('s3cret')
})
