import { mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { checkClients } from '../../../onprem/cli/doctor/check-clients.ts'
import { type RecordingServer, recordingServer } from '../../fixtures/recording-server.ts'
import { runCarrelProcess } from '../../fixtures/run-carrel.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'

const key = 'carrel_op_right'
const [current, old] = [{} as RecordingServer, {} as RecordingServer]
let home: string
let folder: string
let env: Record<string, string>

/** The response of a small MCP server, of the protocol of 2025 or of revision 2026-07-28, to a message. */
function answerTo(message: string): string {
  const { id, method, params } = JSON.parse(message)
  const initialized = { protocolVersion: params.protocolVersion, capabilities: {}, serverInfo: { name: 'small', version: '1' } }
  return JSON.stringify({ jsonrpc: '2.0', id, result: method === 'initialize' ? initialized : { tools: [] } })
}

/** The methods of the messages that deployments received, with the revision of those of the newer protocol. */
const messages: string[] = []

/** A deployment that requires a key. `refuses` says which messages it does not know. */
const deployment = (refuses: (message: string) => boolean = () => false) =>
  recordingServer(async ({ method, url, headers }, response, incoming) => {
    const isAccepted = headers.authorization === `Bearer ${key}` || headers['x-api-key'] === key
    if (url.startsWith('/api')) return response.end('{"enabled": true}')
    if (method !== 'POST') return response.writeHead(405).end()
    if (!isAccepted) return response.writeHead(401).end()
    const sent = await text(incoming)
    const revision = headers['mcp-method'] === undefined ? '' : ` of ${headers['mcp-protocol-version']}`
    const message = JSON.parse(sent).method + revision
    messages.push(message)
    if (refuses(message)) return response.writeHead(400).end()
    return response.end(answerTo(sent))
  })
beforeAll(async () => {
  Object.assign(current, await deployment())
  Object.assign(old, await deployment())
})
afterAll(() => Promise.all([current.close(), old.close()]))
beforeEach(() => {
  home = tempDir()
  folder = realpathSync(tempDir())
  env = {}
})

const at = (path: string) => join(path.startsWith('~/') ? home : folder, path.replace('~/', ''))
function write(path: string, content: unknown): void {
  mkdirSync(dirname(at(path)), { recursive: true })
  writeFileSync(at(path), typeof content === 'string' ? content : JSON.stringify(content))
}
const entry = ({ url }: { url: string }, more: object = {}) => ({
  type: 'http',
  url: `${url}/mcp`,
  headers: { Authorization: `Bearer ${key}` },
  ...more,
})
const claude = (carrel: unknown, more: object = {}) => ({ mcpServers: { carrel }, ...more })

/** The lines, with the addresses of the two deployments by name. */
async function lines(): Promise<string[]> {
  const found = await checkClients({ home, env, platform: 'linux' }, folder)
  return found.map(({ state, message, advice }) =>
    `${state}: ${message} ${advice ?? ''}`.trim().replaceAll(current.url, 'NEW').replaceAll(old.url, 'OLD'),
  )
}
const accepted = 'responds over MCP 2025-06-18 and 2026-07-28, and the key is accepted.'
const advice = 'Delete the one that is not right.'

test('the local scope of Claude Code has precedence, with its old address', async () => {
  write('~/.claude.json', claude(entry(current), { projects: { [folder]: claude(entry(old)) } }))
  expect(await lines()).toEqual([
    `warning: Claude Code (~/.claude.json): the server "carrel" is not used in this folder, because ~/.claude.json, local scope has it, too, with OLD/mcp. ${advice}`,
    `ok: Claude Code (~/.claude.json, local scope): OLD/mcp ${accepted}`,
  ])
})

test('the scopes of Claude Code have precedence in a folder of a repository: local before project before user', async () => {
  const root = folder
  folder = join(root, 'packages/a')
  mkdirSync(join(root, '.git'))
  mkdirSync(folder, { recursive: true })
  write('~/.claude.json', claude(entry(old), { projects: { [root]: claude(entry(current)) } }))
  writeFileSync(join(root, '.mcp.json'), JSON.stringify(claude(entry(old, { url: 'http://127.0.0.1:1/mcp' }))))
  const found = await lines()
  expect(found.map((line) => line.replace(/,? (?:because|responds).*/, '').replaceAll(root, 'ROOT'))).toEqual([
    'warning: Claude Code (~/.claude.json): the server "carrel" is not used in this folder',
    'warning: Claude Code (ROOT/.mcp.json): the server "carrel" is not used in this folder',
    'ok: Claude Code (~/.claude.json, local scope): NEW/mcp',
  ])
})

test('scopes with the same address and key are fine', async () => {
  write('~/.claude.json', claude(entry(current)))
  write('.mcp.json', claude(entry(current)))
  expect(await lines()).toEqual([
    `ok: Claude Code (~/.claude.json): NEW/mcp ${accepted}`,
    `ok: Claude Code (.mcp.json): NEW/mcp ${accepted}`,
  ])
})

test('the addresses of Gemini CLI, Copilot CLI, Windsurf and Zed are checked', async () => {
  const { headers } = entry(current)
  const url = `${current.url}/mcp`
  write('~/.gemini/settings.json', claude({ httpUrl: url, headers }))
  write('~/.copilot/mcp-config.json', claude({ type: 'http', url, tools: ['*'], headers }))
  write('~/.codeium/windsurf/mcp_config.json', claude({ serverUrl: url, headers }))
  write('~/.config/zed/settings.json', `// mine\n${JSON.stringify({ context_servers: { carrel: { url, headers } } })}`)
  expect(await lines()).toEqual([
    `ok: Gemini CLI (~/.gemini/settings.json): NEW/mcp ${accepted}`,
    `ok: Copilot CLI (~/.copilot/mcp-config.json): NEW/mcp ${accepted}`,
    `ok: Windsurf (~/.codeium/windsurf/mcp_config.json): NEW/mcp ${accepted}`,
    `ok: Zed (~/.config/zed/settings.json): NEW/mcp ${accepted}`,
  ])
  write('~/.copilot/mcp-config.json', claude({ type: 'http', url, headers }))
  expect(await lines()).toContain(
    'problem: Copilot CLI (~/.copilot/mcp-config.json): the server "carrel" has no "tools", so Copilot CLI rejects it. Run setup again.',
  )
})

test('both configurations of OpenCode are merged, and the second has precedence', async () => {
  const remote = (server: RecordingServer, more: object = {}) => ({ mcp: { carrel: entry(server, { type: 'remote', ...more }) } })
  write('~/.config/opencode/opencode.json', remote(current))
  write('~/.config/opencode/opencode.jsonc', remote(old, { headers: {} }))
  expect(await lines()).toEqual([
    `warning: OpenCode (~/.config/opencode/opencode.json): the server "carrel" is not used in this folder, because ~/.config/opencode/opencode.jsonc has it, too, with OLD/mcp. ${advice}`,
    `ok: OpenCode (~/.config/opencode/opencode.jsonc): OLD/mcp ${accepted}`,
  ])
  write('~/.config/opencode/opencode.jsonc', '// mine\n{ "mcp": { "carrel": { "enabled": false } } }')
  expect((await lines()).at(-1)).toBe(
    'warning: OpenCode (~/.config/opencode/opencode.jsonc): the server "carrel" is disabled (enabled = false). Enable it if its agent should ask Carrel.',
  )
})

describe('a disabled server', () => {
  const rows: [string, () => void, string][] = [
    [
      'Codex',
      () => write('~/.codex/config.toml', `[mcp_servers.carrel]\nurl = "${current.url}/mcp"\nenabled = false\n`),
      'Codex (~/.codex/config.toml): the server "carrel" is disabled (enabled = false).',
    ],
    [
      'Cursor',
      () => write('.cursor/mcp.json', claude(entry(current, { disabled: true }))),
      'Cursor (.cursor/mcp.json): the server "carrel" is disabled (disabled = true).',
    ],
    [
      'Claude Code, by its switch',
      () => write('~/.claude.json', claude(entry(current), { projects: { [folder]: { disabledMcpServers: ['carrel'] } } })),
      'Claude Code (~/.claude.json): the server "carrel" is disabled (disabledMcpServers).',
    ],
    [
      'Claude Code, by a setting of the project',
      () => {
        write('.mcp.json', claude(entry(current)))
        write('.claude/settings.local.json', { disabledMcpjsonServers: ['carrel'] })
      },
      'Claude Code (.mcp.json): the server "carrel" is disabled (disabledMcpjsonServers).',
    ],
  ]
  test.each(rows)('is a warning: %s', async (_, prepare, message) => {
    prepare()
    expect(await lines()).toEqual([`warning: ${message} Enable it if its agent should ask Carrel.`])
  })

  test('is fine if the list of the project is meant for another scope', async () => {
    write('~/.claude.json', claude(entry(current), { projects: { [folder]: { disabledMcpjsonServers: ['carrel'] } } }))
    expect(await lines()).toEqual([`ok: Claude Code (~/.claude.json): NEW/mcp ${accepted}`])
  })
})

describe('a file that its client rejects', () => {
  const json = () => JSON.stringify(claude(entry(current)))
  test.each([
    ['a byte order mark', () => `\uFEFF${json()}`, 'begins with a byte order mark'],
    ['a comment', () => `{\n// mine\n${json().slice(1)}`, 'has a comment or a trailing comma (line 2)'],
    ['a trailing comma', () => json().replace(/}}$/, '},\n}'), 'has a comment or a trailing comma (line 2)'],
  ])('is a warning for Claude Code because of %s', async (_, content, flaw) => {
    for (const path of ['~/.claude.json', '.mcp.json']) {
      write(path, content())
      expect(await lines()).toContain(
        `warning: Claude Code (${path}) ${flaw}, so Claude Code rejects the file. Its client may ignore it.`,
      )
    }
    expect(await lines()).toHaveLength(2)
  })

  test('does not include a file of VS Code with comments', async () => {
    write('.vscode/mcp.json', `// mine\n${JSON.stringify({ servers: { carrel: entry(current) } })}`)
    expect(await lines()).toEqual([`ok: VS Code (.vscode/mcp.json): NEW/mcp ${accepted}`])
  })

  test.each([
    ['Claude Code', '~/.claude.json', { mcpServers: { carrel: { url: 'http://127.0.0.1:1/mcp' } } }, 'has no "type"'],
    [
      'Claude Code',
      '.mcp.json',
      { mcpServers: { carrel: { type: 'sse', url: 'http://127.0.0.1:1/mcp' } } },
      'has the "type" "sse"',
    ],
    ['OpenCode', 'opencode.json', { mcp: { carrel: { type: 'http', url: 'http://127.0.0.1:1/mcp' } } }, 'has the "type" "http"'],
    [
      'Codex',
      '~/.codex/config.toml',
      '[mcp_servers.carrel]\nurl = "http://127.0.0.1:1/mcp"\nbearer_token = "x"\n',
      'has "bearer_token" next to "url"',
    ],
  ])('is a problem for %s because of an entry in %s', async (label, path, content, flaw) => {
    write(path, content)
    expect(await lines()).toEqual([
      `problem: ${label} (${path}): the server "carrel" ${flaw}, so ${label} rejects it. Run setup again.`,
    ])
  })

  test('is reported for Codex only in a trusted project', async () => {
    write(
      '.codex/config.toml',
      `[mcp_servers.carrel]\nurl = "${current.url}/mcp"\nhttp_headers = { Authorization = "Bearer ${key}" }\n`,
    )
    expect(await lines()).toEqual([
      'warning: Codex (.codex/config.toml) is used only in a project that you trust; start Codex here and trust it. Its client may ignore it.',
    ])
    write('~/.codex/config.toml', `[projects."${folder}"]\ntrust_level = "trusted"\n`)
    expect(await lines()).toEqual([`ok: Codex (.codex/config.toml): NEW/mcp ${accepted}`])
  })
})

describe('an entry that names a variable', () => {
  test.each([
    [
      '.mcp.json',
      { mcpServers: { carrel: { type: 'http', url: 'NEW', headers: { Authorization: `Bearer \${KEY}` } } } },
      'Claude Code',
    ],
    ['.mcp.json', { mcpServers: { carrel: { type: 'http', url: 'NEW', headersHelper: './headers.sh' } } }, 'Claude Code'],
    [
      '~/.cursor/mcp.json',
      { mcpServers: { carrel: { url: 'NEW', headers: { Authorization: `Bearer \${env:KEY}` } } } },
      'Cursor',
    ],
    ['.vscode/mcp.json', { servers: { carrel: { url: 'NEW', headers: { Authorization: `Bearer \${input:key}` } } } }, 'VS Code'],
    ['opencode.json', { mcp: { carrel: { type: 'remote', url: 'NEW', headers: { 'X-API-Key': '{file:~/key}' } } } }, 'OpenCode'],
    [
      '~/.gemini/settings.json',
      { mcpServers: { carrel: { httpUrl: 'NEW', headers: { Authorization: 'Bearer $KEY' } } } },
      'Gemini CLI',
    ],
    ['~/.codex/config.toml', '[mcp_servers.carrel]\nurl = "NEW"\nbearer_token_env_var = "KEY"\n', 'Codex'],
    ['~/.codex/config.toml', '[mcp_servers.carrel]\nurl = "NEW"\nenv_http_headers = { Authorization = "KEY" }\n', 'Codex'],
  ])('is not checked in %s: %j', async (path, content, label) => {
    current.requests.length = 0
    const text = typeof content === 'string' ? content : JSON.stringify(content)
    write(path, text.replace('NEW', `${current.url}/mcp`))
    expect(await lines()).toEqual([`warning: ${label} (${path}): NEW/mcp was not checked, because the file names variables.`])
    expect(current.requests).toEqual([])
  })
})

describe('the check of an entry', () => {
  test('reports a variable in the form of a shell, which no client replaces', async () => {
    for (const text of ['$CARREL_API_KEY', 'Bearer %CARREL_API_KEY%']) {
      write('.mcp.json', claude(entry(current, { headers: { Authorization: text } })))
      expect(await lines()).toEqual([
        'problem: Claude Code (.mcp.json): the server "carrel" names a variable as a shell does, so Claude Code sends the name as the key. Write the variable in the form of the client, or the key.',
      ])
    }
  })

  test('finds it under another name, by its key or by the same address', async () => {
    const { headers: _, ...open } = entry(current)
    write('~/.cursor/mcp.json', { mcpServers: { docs: entry(current), again: open, other: { url: 'https://x.example/mcp' } } })
    expect(await lines()).toEqual([
      `ok: Cursor (~/.cursor/mcp.json), the server "docs": NEW/mcp ${accepted}`,
      'problem: Cursor (~/.cursor/mcp.json), the server "again": NEW/mcp requires a key. Run setup again.',
    ])
  })

  test('sends all headers that its client sends', async () => {
    write('~/.cursor/mcp.json', claude({ url: `${current.url}/mcp`, headers: { 'X-API-Key': key, 'X-Team': 'docs' } }))
    expect(await lines()).toEqual([`ok: Cursor (~/.cursor/mcp.json): NEW/mcp ${accepted}`])
    expect(current.requests.some(({ headers }) => headers['x-team'] === 'docs')).toBe(true)
  })

  test('sends the first messages of clients of both eras of MCP', async () => {
    write('~/.cursor/mcp.json', claude(entry(current)))
    messages.length = 0
    expect(await lines()).toEqual([`ok: Cursor (~/.cursor/mcp.json): NEW/mcp ${accepted}`])
    expect(messages).toEqual(['initialize', 'tools/list of 2026-07-28'])
  })

  test.each([
    [
      'warns about a server that newer clients cannot use',
      'tools/list of 2026-07-28',
      'warning: Cursor (~/.cursor/mcp.json): OTHER/mcp responds over MCP 2025-06-18, but not over 2026-07-28. Update the deployment, or look at the proxy in front of it.',
    ],
    [
      'finds a problem in a server that older clients cannot use',
      'initialize',
      'problem: Cursor (~/.cursor/mcp.json): OTHER/mcp does not respond as an MCP server (status 400). Check that the server runs and can be reached.',
    ],
  ])('%s', async (_, refused, expected) => {
    const other = await deployment((message) => message === refused)
    write('~/.cursor/mcp.json', claude(entry(other)))
    expect((await lines()).map((line) => line.replaceAll(other.url, 'OTHER'))).toEqual([expected])
    await other.close()
  })

  test('is limited if it starts a program', async () => {
    write('~/.cursor/mcp.json', claude({ command: 'npx', args: ['mcp-remote', `${current.url}/mcp`] }))
    expect(await lines()).toEqual([
      'warning: Cursor (~/.cursor/mcp.json): the server "carrel" starts "npx", which was not checked.',
    ])
  })

  test('reports the cause if an env file left quotes around its key', async () => {
    write('~/.cursor/mcp.json', claude(entry(current, { headers: { Authorization: `Bearer "${key}"` } })))
    expect(await lines()).toEqual([
      'problem: Cursor (~/.cursor/mcp.json): NEW/mcp does not accept the key. Delete the quotes around the key in the file.',
    ])
  })
})

test('a variable whose value is no absolute path is a problem of a client that is used', async () => {
  env = { CODEX_HOME: '~/.codex', XDG_CONFIG_HOME: 'rel' }
  mkdirSync(join(home, '.codex'))
  expect(await lines()).toEqual([
    `problem: Codex: CODEX_HOME is ~/.codex, which is not an absolute path; outside of a shell, write ${home}/.codex. The client needs that, too.`,
  ])
})

test('setup warns about a file that Claude Code rejects, and about an entry that has precedence in the folder', async () => {
  write('~/.claude.json', `\uFEFF${JSON.stringify(claude(entry(current), { theme: 'dark' }))}`)
  write('.mcp.json', claude(entry(old)))
  const before = readFileSync(at('.mcp.json'), 'utf8')
  const { code, out, err } = await runCarrelProcess(['setup', '--base-url', current.url, '--claude'], {
    dataDir: join(folder, 'data'),
    cwd: folder,
    env: { HOME: home, CARREL_API_KEY: 'carrel_op_another' },
  })
  expect(code).toBe(0)
  expect(out).toContain('changed    ~/.claude.json (warning: it begins with a byte order mark, so Claude Code rejects it)')
  expect(err).toBe('carrel: In this folder, Claude Code uses the server "carrel" of .mcp.json, which has another address.\n')
  expect(readFileSync(at('.mcp.json'), 'utf8')).toBe(before)
  write('.mcp.json', claude(entry(current)))
  const again = await runCarrelProcess(['setup', '--base-url', current.url, '--claude'], {
    dataDir: join(folder, 'data'),
    cwd: folder,
    env: { HOME: home, CARREL_API_KEY: 'carrel_op_third' },
  })
  expect(again.err).toContain('uses the server "carrel" of .mcp.json, which has another key or none.')
  expect(readFileSync(at('~/.claude.json'), 'utf8')).toContain('carrel_op_third')
})
