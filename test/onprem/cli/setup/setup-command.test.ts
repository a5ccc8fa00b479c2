import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { readRoot } from '../../../../onprem/cli/commands/setup.ts'
import { needsKey } from '../../../../onprem/cli/setup/needs-key.ts'
import { type RecordingServer, recordingServer } from '../../../fixtures/recording-server.ts'
import { runCarrel, runCarrelProcess, startOnTerminal } from '../../../fixtures/run-carrel.ts'
import { tempDir } from '../../../fixtures/temp-dir.ts'
import { killedIn } from './killed-in.ts'
import { modeOf, setupHome } from './setup-home.ts'

let open: RecordingServer
let locked: RecordingServer

beforeAll(async () => {
  open = await recordingServer((_, response) => response.end('{"enabled": false, "more": 1}'))
  locked = await recordingServer((_, response) => response.end('{"enabled": true}'))
})
afterAll(() => Promise.all([open.close(), locked.close()]))

/** Runs setup in an empty home folder, and with DATA_DIR that does not exist. */
async function setup(words: string[], env: Record<string, string> = {}) {
  const home = tempDir()
  const outcome = await runCarrel(['setup', ...words], { dataDir: join(home, 'no-data'), env: { HOME: home, ...env } })
  return { home, ...outcome }
}
const entryIn = (home: string) => JSON.parse(readFileSync(join(home, '.claude.json'), 'utf8')).mcpServers.carrel

describe('the address', () => {
  test.each([
    ['https://carrel.example/', 'https://carrel.example'],
    ['  https://carrel.example/docs// ', 'https://carrel.example/docs'],
    ['http://[::1]:3000', 'http://[::1]:3000'],
    ['https://carrel.example/mcp-server', 'https://carrel.example/mcp-server'],
  ])('"%s" is normalized to %s', (given, root) => expect(readRoot(given)).toBe(root))

  test.each([
    [undefined, 'setup needs the address of your Carrel: --base-url https://carrel.example.com'],
    ['carrel', '--base-url must be an address such as https://carrel.example.com.'],
    ['ftp://carrel.example', '--base-url must be an address such as https://carrel.example.com.'],
    ['https://ada:secret@carrel.example', '--base-url must not contain a user name or password.'],
    ['https://carrel.example?key=secret', '--base-url must not contain a query or fragment.'],
    ['https://carrel.example/#', '--base-url must not contain a query or fragment.'],
    ['https://carrel.example/mcp', '--base-url must be the root, without /mcp at its end.'],
    ['https://carrel.example/docs/api/', '--base-url must be the root, without /api at its end.'],
    ['"https://carrel.example"', '--base-url must not be in quotes, which are part of the value in a file that no shell reads.'],
  ])('is rejected if it is %s', (given, message) => expect(() => readRoot(given)).toThrow(message))

  test('causes wrong usage if it is wrong, and nothing is requested or written', async () => {
    const { code, err, home } = await setup(['--claude', '--base-url', `${open.url}/mcp`])
    expect({ code, err, files: readdirSync(home) }).toEqual({
      code: 2,
      err: 'carrel: --base-url must be the root, without /mcp at its end.\n',
      files: [],
    })
  })

  const wrong: [string, (url: string) => { status?: number; headers?: Record<string, string>; body?: string }, RegExp][] = [
    [
      'redirects',
      () => ({ status: 302, headers: { location: 'https://new.example/docs/api/auth/mcp?token=secret' } }),
      /redirects to https:\/\/new\.example\/docs\. Use its final address as --base-url\. Nothing was changed\.$/,
    ],
    ['returns HTML', () => ({ body: '<html>' }), /did not respond like a Carrel server/],
    ['returns no boolean', () => ({ body: '{"enabled": "yes"}' }), /did not respond like a Carrel server/],
    ['returns an error', () => ({ status: 502, body: 'bad gateway' }), /returned status 502\. Check that --base-url is the root/],
    ['never ends its body', () => ({ headers: { 'content-length': '99' }, body: '{' }), /did not respond within 0\.3 seconds/],
  ]
  test.each(wrong)('is rejected with the reason if its server %s', async (_, answer, message) => {
    const server = await recordingServer((_request, response) => {
      const { status = 200, headers = {}, body = '' } = answer(server.url)
      response.writeHead(status, headers)
      if (headers['content-length']) response.write(body)
      else response.end(body)
    })
    onTestFinished(server.close)
    await expect(needsKey(server.url, 300)).rejects.toThrow(message)
    expect(server.requests.map(({ url }) => url)).toEqual(['/api/auth/mcp'])
  })

  test('is rejected if its server hangs or does not exist, and nothing is written', async () => {
    const silent = createServer().listen(0, '127.0.0.1')
    onTestFinished(() => void silent.close())
    await new Promise((listening) => silent.once('listening', listening))
    const { port } = silent.address() as { port: number }
    await expect(needsKey(`http://127.0.0.1:${port}`, 100)).rejects.toThrow(
      'did not respond within 0.1 seconds. Nothing was changed.',
    )
    const { code, err, home } = await setup(['--claude', '--base-url', 'http://127.0.0.1:9'])
    expect({ code, err, files: readdirSync(home) }).toEqual({
      code: 1,
      err: expect.stringMatching(/^carrel: http:\/\/127\.0\.0\.1:9 cannot be reached \(\w[\w ]+\)\. Nothing was changed\.\n$/),
      files: [],
    })
  })
})

test('a server below a path receives only GET /api/auth/mcp, without any key', async () => {
  open.requests.length = 0
  const { code, home } = await setup(['--mcp', '--claude', '--base-url', `${open.url}/docs/`, '--api-key', 'sesame'])
  expect(code).toBe(0)
  expect(open.requests.map(({ method, url }) => `${method} ${url}`)).toEqual(['GET /docs/api/auth/mcp'])
  expect(JSON.stringify(open.requests)).not.toContain('sesame')
  expect(entryIn(home)).toEqual({ type: 'http', url: `${open.url}/docs/mcp` })
})

describe('the key', () => {
  const [byOption, ours, theirs] = ['carrel_op_option', 'carrel_op_ours', 'carrel_sk_theirs']
  const claude = () => ['--claude', '--yes', '--base-url', locked.url]

  test.each([
    ['the option', ['--api-key', ` ${byOption} `], { CARREL_API_KEY: ours, CONTEXT7_API_KEY: theirs }, byOption],
    ['CARREL_API_KEY', [], { CARREL_API_KEY: ours, CONTEXT7_API_KEY: theirs }, ours],
    ['CONTEXT7_API_KEY', [], { CARREL_API_KEY: ' ', CONTEXT7_API_KEY: theirs }, theirs],
  ])('is read from %s', async (_, words, env, key) => {
    const { code, out, err, home } = await setup([...claude(), ...words], env)
    expect(code).toBe(0)
    expect(entryIn(home).headers).toEqual({ Authorization: `Bearer ${key}` })
    expect(modeOf(join(home, '.claude.json'))).toBe('600')
    expect(out + err).not.toContain(key)
    expect(err.includes('visible in the list of processes')).toBe(words.length > 0)
    expect(err.includes('The key is that of CONTEXT7_API_KEY')).toBe(key === theirs)
  })

  test('is required with --yes and without a terminal, and nothing is written without it', async () => {
    const { code, err, home } = await setup(claude())
    expect({ code, err, files: readdirSync(home) }).toEqual({
      code: 1,
      err: `carrel: ${locked.url} requires an API key. Set CARREL_API_KEY to your key, or leave out --yes and type it. Nothing was changed.\n`,
      files: [],
    })
  })

  test.each([
    [
      'CONTEXT7_API_KEY',
      [],
      { CONTEXT7_API_KEY: 'ctx7sk-other' },
      'carrel: CONTEXT7_API_KEY is not used: its key is of another service.\n',
    ],
    ['CARREL_API_KEY', [], { CARREL_API_KEY: 'sk-proj-other' }, 'carrel: CARREL_API_KEY is not a key of Carrel: '],
    ['the option', ['--api-key', 'ghp_other'], {}, 'carrel: --api-key is not a key of Carrel: '],
  ])('is neither written nor shown if %s has one of another service', async (_, words, env, message) => {
    locked.requests.length = 0
    const { code, out, err, home } = await setup([...claude(), ...words], env)
    expect({ code, files: readdirSync(home) }).toEqual({ code: 1, files: [] })
    expect(err.startsWith(message)).toBe(true)
    expect(out + err + JSON.stringify(locked.requests)).not.toMatch(/ctx7sk|sk-proj|ghp_/)
  })

  test.each([
    ['in quotes', '"carrel_op_secret"', 'is in quotes, which are part of the value in a file that no shell reads; delete them'],
    [
      'in single quotes',
      "'carrel_op_secret'",
      'is in quotes, which are part of the value in a file that no shell reads; delete them',
    ],
    ['after the scheme', 'Bearer carrel_op_secret', 'begins with "Bearer"; it must be the key alone'],
    ['as a variable', `\${CARREL_SECRET}`, 'is the name of a variable, which nothing has replaced with its value'],
  ])('is rejected with the cause, and not shown, if an env file has it %s', async (_, value, reason) => {
    for (const name of ['CARREL_API_KEY', 'CONTEXT7_API_KEY']) {
      if (name === 'CONTEXT7_API_KEY' && !/^["']/.test(value)) continue
      const { code, out, err, home } = await setup(claude(), { [name]: value })
      expect({ code, err, files: readdirSync(home) }).toEqual({
        code: 1,
        err: `carrel: ${name} ${reason}. Nothing was changed.\n`,
        files: [],
      })
      expect(out + err).not.toMatch(/secret/i)
    }
  })

  test('is rejected if it is not valid in a header', async () => {
    const { code, err, home } = await setup(claude(), { CARREL_API_KEY: 'carrel_op_a\nb' })
    expect({ code, files: readdirSync(home) }).toEqual({ code: 1, files: [] })
    expect(err).toContain('CARREL_API_KEY contains a character that is not valid in a key')
  })

  test('is typed on a terminal without being shown', async () => {
    const home = tempDir()
    const child = startOnTerminal(['setup', '--claude', '--base-url', locked.url], {
      dataDir: join(home, 'x'),
      env: { HOME: home },
    })
    let screen = ''
    child.stdout.on('data', (data) => {
      screen += data
      if (screen.endsWith('(not shown): ')) child.stdin.write('carrel_op_typed\r')
    })
    const code = await new Promise((ended) => child.once('exit', ended))
    expect({ code, entry: entryIn(home) }).toMatchObject({
      code: 0,
      entry: { headers: { Authorization: 'Bearer carrel_op_typed' } },
    })
    expect(screen).toContain(`the page ${locked.url}/account makes one`)
    expect(screen).not.toContain('carrel_op_typed')
  })

  test('is mentioned if it is written into a project', async () => {
    const folder = tempDir()
    const { code, err } = await runCarrelProcess(['setup', ...claude(), '--project'], {
      dataDir: join(folder, 'x'),
      cwd: folder,
      env: { HOME: tempDir(), CARREL_API_KEY: ours },
    })
    expect({ code, err }).toEqual({
      code: 0,
      err: 'carrel: The configuration files of this project hold your key. Do not commit them.\n',
    })
    expect(modeOf(join(folder, '.mcp.json'))).toBe('600')
  })
})

test.each([
  ['--cli', 'Agents ask Carrel over MCP, not by a command'],
  ['--stdio', 'Carrel speaks MCP over HTTP, so no local process is needed'],
  ['--oauth', 'setup writes API keys, and a client that signs in with OAuth needs only the address of /mcp'],
])('the option %s is rejected with the reason', async (option, why) => {
  const { code, err, home } = await setup([option, '--claude', '--base-url', open.url])
  expect({ code, err, files: readdirSync(home) }).toEqual({
    code: 2,
    err: `carrel: ${option} is not available: ${why}. Run setup without it.\n`,
    files: [],
  })
})

describe('the choice of clients', () => {
  const words = () => ['setup', '--base-url', open.url]
  const homeWith = (...folders: string[]) => {
    const home = tempDir()
    for (const folder of folders) mkdirSync(join(home, folder), { recursive: true })
    return home
  }

  test('consists of those that are found with --yes', async () => {
    const home = homeWith('.cursor', '.codex')
    const { code } = await runCarrelProcess([...words(), '--yes'], { dataDir: join(home, 'x'), env: { HOME: home } })
    expect(code).toBe(0)
    expect(readdirSync(home).sort()).toEqual(['.agents', '.codex', '.cursor', '.local'])
  })

  test('fails with the names of the flags if none is found', async () => {
    const { code, err, home } = await setup(['--base-url', open.url, '--yes'])
    expect({ code, err }).toEqual({
      code: 1,
      err: `carrel: No AI client was found in ${home}. Name yours with --claude, --cursor, --vscode, --codex, --opencode, --gemini, --copilot, --windsurf, --zed. Nothing was changed.\n`,
    })
  })

  test('is asked on a terminal', async () => {
    const home = homeWith('.cursor', '.codex')
    const child = startOnTerminal(words(), { dataDir: join(home, 'x'), env: { HOME: home } })
    let screen = ''
    child.stdout.on('data', (data) => {
      screen += data
      if (screen.endsWith('for Cursor, Codex: ')) child.stdin.write('2 1\r')
    })
    expect(await new Promise((ended) => child.once('exit', ended))).toBe(0)
    expect(screen).toContain('2  Cursor (found)\r\n')
    expect(readdirSync(home).sort()).toEqual(['.claude', '.claude.json', '.codex', '.cursor', '.local'])
    expect(readdirSync(join(home, '.codex'))).toEqual([])
  })
})

test.each(['', 'relative'])(
  'the home folder "%s" is rejected, because setup would write into the current folder',
  async (HOME) => {
    const { code, err } = await setup(['--base-url', open.url, '--claude', '--yes'], { HOME })
    expect([code, err]).toEqual([2, 'carrel: setup: the variable HOME must be the absolute path of your home folder.\n'])
  },
)

test('--project is rejected in the home folder', async () => {
  const { code, err } = await setup(['--remove', '--project'], { HOME: process.cwd() })
  expect([code, err]).toEqual([2, expect.stringContaining('--project is for the folder of a project')])
})

test('a home folder without write permission is reported for each file, with exit code 1', async () => {
  const home = tempDir()
  writeFileSync(join(home, '.claude.json'), '{}')
  chmodSync(home, 0o500)
  onTestFinished(() => chmodSync(home, 0o700))
  // root without its capabilities is subject to the modes of its files.
  const through = process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-all'] : []
  const run = (env: Record<string, string>) =>
    runCarrelProcess(['setup', '--claude', '--base-url', open.url], {
      dataDir: join(home, 'x'),
      env: { HOME: home, ...env },
      through,
    })
  const files = ['~/.claude.json', '~/.claude/rules/carrel.md', '~/.claude/skills/carrel-mcp/SKILL.md']
  const failed = (out: string) => [...out.matchAll(/ failed +(\S+) \((.*)\)$/gm)].map(([, ...found]) => found)

  const noBackup = `was left alone, because its backup cannot be written to ${home}/.local/state/carrel/setup (EACCES); set XDG_STATE_HOME to another folder`
  const first = await run({})
  expect([first.code, failed(first.out)]).toEqual([1, files.map((path) => [path, noBackup])])
  const second = await run({ XDG_STATE_HOME: tempDir() })
  expect([second.code, failed(second.out)]).toEqual([1, files.map((path) => [path, 'cannot be changed by this user'])])
  expect([readdirSync(home), readFileSync(join(home, '.claude.json'), 'utf8')]).toEqual([['.claude.json'], '{}'])
})

test.runIf(process.getuid?.() === 0)(
  'setup with sudo does not change the files of another user',
  async () => {
    const home = tempDir()
    chownSync(home, 65_534, 65_534)
    const run = (...words: string[]) =>
      runCarrelProcess(['setup', ...words], {
        dataDir: join(home, 'x'),
        env: { HOME: home, SUDO_UID: '65534' },
        cwd: process.cwd(),
      })
    const err = `carrel: Run setup without sudo: ${home} belongs to another user, whose clients could not change its files.\n`
    expect(await run('--claude', '--base-url', open.url)).toMatchObject({ code: 2, err })
    expect(await run('--remove')).toMatchObject({ code: 2, err })
    expect(readdirSync(home)).toEqual([])
    chownSync(home, 0, 0)
    expect((await run('--claude', '--base-url', open.url)).code).toBe(0)
  },
  60_000,
)

test.each(['writeFileSync', 'fsyncSync', 'renameSync'])(
  'setup that is killed in %s leaves the old file whole, and the next setup works',
  async (at) => {
    const home = tempDir()
    const config = join(home, '.claude.json')
    const content = '{\n  "theme": "dark"\n}\n'
    writeFileSync(config, content)
    const words = ['setup', '--claude', '--base-url', open.url]
    const options = { dataDir: join(home, 'x'), env: { HOME: home } }
    const { code } = await runCarrelProcess(words, { ...options, env: { HOME: home, ...killedIn(at) } })
    expect(code).toBe(null)
    expect(readFileSync(config, 'utf8')).toBe(content)
    expect(existsSync(join(home, '..claude.json.carrel-new'))).toBe(true)

    expect((await runCarrel(words, options)).code).toBe(0)
    expect(entryIn(home)).toEqual({ type: 'http', url: `${open.url}/mcp` })
    expect(existsSync(join(home, '..claude.json.carrel-new'))).toBe(false)
    expect((await runCarrel(['setup', '--remove'], options)).code).toBe(0)
    expect(readFileSync(config, 'utf8')).toBe(content)
    expect(readdirSync(home)).toEqual(['.claude.json'])
  },
)

const killsOfRemove: [string, ...Parameters<typeof killedIn>][] = [
  ['while it writes a file', 'writeFileSync', {}],
  ['while it flushes a file', 'fsyncSync', {}],
  ['while it renames a file', 'renameSync', {}],
  ['while it deletes a file', 'rmSync', {}],
  ['while it deletes the first backup', 'rmSync', { of: 'a backup' }],
  ['at the fifth deletion in a backup', 'rmSync', { of: 'a backup', nth: 5 }],
  ['at the sixth deletion in a backup', 'rmSync', { of: 'a backup', nth: 6 }],
  ['at the seventh deletion in a backup', 'rmSync', { of: 'a backup', nth: 7 }],
]
test.each(killsOfRemove)(
  'setup --remove that is killed %s leaves the file whole, and the next --remove finishes',
  async (_, at, which) => {
    const user = setupHome()
    const { config } = user.paths('claude')
    user.write(config, '{\n  "theme": "dark"\n}\n')
    const before = user.tree()
    await user.setup(['claude'])
    const texts = [before, user.tree()].map((tree) => tree['.claude.json'])
    const { code } = await runCarrelProcess(['setup', '--remove'], {
      dataDir: join(user.home, 'x'),
      env: { HOME: user.home, ...killedIn(at, which) },
    })
    expect(code).toBe(null)
    expect(texts).toContain(user.tree()['.claude.json'])
    expect(user.remove()).toMatchObject({ failed: 0 })
    expect(user.tree()).toEqual(before)
    expect(readdirSync(user.home)).toEqual(['.claude.json'])
  },
)

test('the output of setup ends with what to do next and how to undo it', async () => {
  const { out } = await setup(['--opencode', '--base-url', open.url])
  expect(out).toBe(`OpenCode
  MCP server  created    ~/.config/opencode/opencode.json
  rule        created    ~/.config/opencode/AGENTS.md
  skill       created    ~/.agents/skills/carrel-mcp/SKILL.md

Next:
  restart OpenCode; "opencode mcp list" lists its servers
To undo: npm run -s carrel -- setup --remove
`)
  expect((await setup(['--remove'])).err).toMatch(/^carrel: Nothing of Carrel was found in /)
})
