import { readFileSync } from 'node:fs'
import { parse } from 'jsonc-parser'
import { parse as parseToml } from 'smol-toml'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isSameAddress } from '../../../../onprem/cli/setup/servers.ts'
import { type ClientName, clientNames } from '../../../../shared/clients/entries.ts'
import type { RecordingServer } from '../../../fixtures/recording-server.ts'
import { addressName, expectedEntry, sectionOf } from './client-files.ts'
import { deployment, modeOf, setupHome, testKey } from './setup-home.ts'

let open: RecordingServer
let locked: RecordingServer
beforeAll(async () => {
  open = await deployment({ enabled: false })
  locked = await deployment({ enabled: true })
})
afterAll(() => Promise.all([open.close(), locked.close()]))

type Entry = Record<string, unknown>
const read = (path: string) => readFileSync(path, 'utf8')
const oldKey = 'carrel_op_revoked'
const bearer = (key: string) => ({ Authorization: `Bearer ${key}` })
const headersName = (client: ClientName) => (client === 'codex' ? 'http_headers' : 'headers')
const withKey = (client: ClientName, key: string) => ({ [headersName(client)]: bearer(key) })

/** A user whose configuration has these servers, as a person writes them. */
function homeWith(client: ClientName, servers: Record<string, unknown>) {
  const user = setupHome()
  const { config } = user.paths(client)
  user.write(config, print(client, servers))
  return {
    ...user,
    config,
    before: read(config),
    entries: (): Record<string, Entry> =>
      (client === 'codex' ? parseToml(read(config)) : parse(read(config)))[sectionOf(client)] as Record<string, Entry>,
  }
}

function print(client: ClientName, servers: Record<string, unknown>): string {
  if (client === 'codex') return `# mine\nmodel = "o9"\n${tables(servers)}\n[tui]\nx = 1\n`
  const json = JSON.stringify(servers, null, 4).replaceAll('\n', '\n  ')
  // Claude Code rejects comments.
  const [first, last] = client === 'claude' ? ['"mine": 1,', ''] : ['// mine', ',']
  return `{\n  ${first}\n  "${sectionOf(client)}": ${json}${last}\n}\n`
}

function tables(servers: Record<string, unknown>): string {
  const value = (each: unknown): string =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? `{ ${Object.entries(each)
          .map(([name, inner]) => `${name} = ${value(inner)}`)
          .join(', ')} }`
      : JSON.stringify(each)
  return Object.entries(servers)
    .map(([name, entry]) => {
      const lines = Object.entries(entry as Entry).map(([property, each]) => `${property} = ${value(each)} # ${property}\n`)
      return `\n[mcp_servers.${name}]\n${lines.join('')}`
    })
    .join('')
}

/** The options that a client, or its user, adds to an entry. */
const options: Record<ClientName, Entry> = {
  claude: { timeout: 5000, headers: { 'X-Team': 'docs' }, alwaysLoad: true },
  cursor: { disabled: true, headers: { 'X-Team': 'docs' } },
  vscode: { gallery: 'https://registry.example/carrel', headers: { 'X-Team': 'docs' }, dev: { debug: true } },
  codex: {
    startup_timeout_sec: 20,
    enabled: false,
    enabled_tools: ['query-docs'],
    http_headers: { 'X-Team': 'docs' },
    tools: { query: { approval_mode: 'approve' } },
  },
  opencode: { enabled: false, timeout: 9000, oauth: false, headers: { 'X-Team': 'docs' } },
  gemini: { timeout: 5000, trust: true, includeTools: ['query-docs'], headers: { 'X-Team': 'docs' } },
  copilot: { tools: ['query-docs'], timeout: 5000, headers: { 'X-Team': 'docs' } },
  windsurf: { disabled: true, disabledTools: ['search'], headers: { 'X-Team': 'docs' } },
  zed: { enabled: false, settings: {}, headers: { 'X-Team': 'docs' } },
}
/** An entry with more properties and headers. */
function merged(entry: Entry, more: Entry): Entry {
  const headers = (['headers', 'http_headers'] as const).filter((name) => entry[name] || more[name])
  const both = headers.map((name) => [name, { ...(entry[name] as Entry), ...(more[name] as Entry) }])
  return { ...entry, ...more, ...Object.fromEntries(both) }
}

describe('an entry that names a variable for its key', () => {
  const env = 'CARREL_API_KEY'
  const rows: [ClientName, string, Entry][] = [
    ['claude', 'a variable', { headers: { Authorization: `Bearer \${${env}}` } }],
    ['claude', 'a variable with a default', { headers: { authorization: `Bearer \${${env}:-none}` } }],
    ['claude', 'a program for the headers', { headersHelper: '/usr/local/bin/carrel-headers.sh' }],
    ['claude', 'a variable in another header for keys', { headers: { 'X-API-Key': `\${${env}}` } }],
    ['claude', 'a variable as in a shell', { headers: { Authorization: `Bearer $${env}` } }],
    ['claude', 'a variable as on Windows', { headers: { Authorization: `bearer %${env}%` } }],
    ['cursor', 'a variable', { headers: { Authorization: `Bearer \${env:${env}}` } }],
    ['vscode', 'an input', { headers: { Authorization: `Bearer \${input:carrel-key}` } }],
    ['codex', 'a variable', { bearer_token_env_var: env }],
    ['codex', 'a variable for a header', { env_http_headers: { Authorization: 'CARREL_HEADER' } }],
    ['codex', 'a variable, and an older key', { bearer_token_env_var: env, http_headers: bearer(oldKey) }],
    ['opencode', 'a variable', { headers: { Authorization: `Bearer {env:${env}}` } }],
    ['gemini', 'a variable as in a shell', { headers: { Authorization: `Bearer $${env}` } }],
    ['copilot', 'a variable', { headers: { Authorization: `Bearer \${${env}}` } }],
    ['windsurf', 'a variable', { headers: { Authorization: `Bearer \${env:${env}}` } }],
    ['opencode', 'a file', { headers: { Authorization: 'Bearer {file:~/.carrel-key}' } }],
  ]
  test.each(rows)('is left unchanged in %s: %s', async (client, _, auth) => {
    const { type, ...others } = expectedEntry(client, `${locked.url}/mcp`, undefined)
    const needed = type === undefined || client === 'codex' ? {} : { type }
    const user = homeWith(client, { carrel: { ...needed, ...others, ...auth } })
    expect(await user.setup([client], { root: locked.url })).toMatchObject({ failed: 0 })
    expect(read(user.config)).toBe(user.before)
    expect(modeOf(user.config)).toBe('644')
    expect(user.printed()).toMatch(/MCP server +unchanged .*\(its key is a variable, which was left alone\)/)
    user.remove()
    expect(read(user.config)).toBe(user.before)
  })

  test('requires no key if it is the only one', async () => {
    const user = homeWith('codex', { carrel: { url: `${locked.url}/mcp`, bearer_token_env_var: env } })
    expect(await user.setup(['codex'], { root: locked.url, key: '' })).toMatchObject({ failed: 0 })
    expect(read(user.config)).toBe(user.before)
    await expect(user.setup(['codex', 'cursor'], { root: locked.url, key: '' })).rejects.toThrow('requires an API key')
  })

  test('gets only what its client needs', async () => {
    const auth = { headers: { Authorization: `Bearer \${${env}}` } }
    const user = homeWith('claude', { carrel: { url: `${locked.url}/mcp`, ...auth } })
    await user.setup(['claude'], { root: locked.url })
    expect(user.entries().carrel).toEqual({ type: 'http', url: `${locked.url}/mcp`, ...auth })
  })

  test('is left unchanged if its address is a variable', async () => {
    const user = homeWith('claude', { carrel: { type: 'http', url: `\${CARREL_URL}/mcp`, headers: bearer(oldKey) } })
    await user.setup(['claude'], { root: locked.url })
    expect(read(user.config)).toBe(user.before)
    expect(user.printed()).toContain('its address is a variable, which was left alone')
  })

  test('is kept at a new address if the variable is that of Carrel', async () => {
    for (const name of [env, 'OTHER_TOKEN']) {
      const auth = { headers: { Authorization: `Bearer \${${name}}` } }
      const user = homeWith('claude', { carrel: { type: 'http', url: 'https://old.example/mcp', ...auth } })
      await user.setup(['claude'], { root: locked.url })
      const { headers } = user.entries().carrel ?? {}
      expect(headers).toEqual(name === env ? auth.headers : bearer(testKey))
    }
  })
})

describe('an entry with our address', () => {
  test.each(clientNames)('keeps its options in %s and gets missing fields, which --remove deletes', async (client) => {
    const user = homeWith(client, {
      other: { command: 'run' },
      carrel: { [addressName(client)]: `${locked.url}/mcp`, ...options[client] },
    })
    expect(await user.setup([client], { root: locked.url })).toMatchObject({ failed: 0 })
    const expected = merged(expectedEntry(client, `${locked.url}/mcp`, testKey), options[client])
    expect(user.entries()).toEqual({ other: { command: 'run' }, carrel: expected })
    expect(read(user.config)).toContain('mine')
    if (options[client].enabled === false || options[client].disabled) expect(user.printed()).toContain('(it stays disabled)')

    const second = read(user.config)
    expect(await user.setup([client], { root: locked.url })).toMatchObject({ changed: 0, failed: 0 })
    expect(read(user.config)).toBe(second)
    user.remove()
    expect(read(user.config)).toBe(user.before)
  })

  test.each(clientNames)('gets only a new key in %s if the key differs', async (client) => {
    const url = `${locked.url}/mcp`
    const entry = merged(expectedEntry(client, url, oldKey), options[client])
    const user = homeWith(client, { carrel: entry })
    await user.setup([client], { root: locked.url })
    expect(read(user.config)).toBe(user.before.replace(oldKey, testKey))
    user.write(user.config, `${read(user.config)}\n`)
    user.remove()
    expect(read(user.config)).toBe(`${user.before}\n`)
  })

  test.each(clientNames)('is recognized in %s in another spelling of the address', async (client) => {
    const { host, port } = new URL(locked.url)
    for (const url of [
      `${locked.url}/mcp/`,
      `HTTP://${host}/mcp`,
      `${locked.url}//mcp`,
      `${locked.url}/mcp?team=docs`,
      ` ${locked.url}/mcp`,
    ]) {
      const entry = { ...expectedEntry(client, url, testKey), ...(client === 'codex' && { tool_timeout_sec: 5 }) }
      const user = homeWith(client, { carrel: entry })
      await user.setup([client], { root: locked.url })
      expect(read(user.config)).toBe(user.before)
    }
    const user = homeWith(client, { carrel: expectedEntry(client, `http://localhost:${port}/mcp`, testKey) })
    await user.setup([client], { root: locked.url })
    expect(user.entries().carrel?.[addressName(client)]).toBe(`${locked.url}/mcp`)
  })

  test.each(clientNames)('keeps in %s what its user added since setup, also a disabled state, after --remove', async (client) => {
    const address = addressName(client)
    const first = { [address]: `${locked.url}/mcp`, ...withKey(client, oldKey) }
    const user = homeWith(client, { carrel: first })
    await user.setup([client], { root: locked.url })
    const since =
      client === 'codex' ? ['url = ', 'enabled = false\nurl = '] : [`"${address}": `, `"enabled": false, "${address}": `]
    const text =
      client === 'opencode'
        ? read(user.config).replace('"enabled": true', '"enabled": false')
        : read(user.config).replace(since[0] ?? '', since[1] ?? '')
    user.write(user.config, text)
    user.remove()
    expect(user.entries().carrel).toEqual({ ...first, enabled: false })
  })
})

describe('the comparison of addresses', () => {
  test.each([
    ['https://Carrel.Example/docs/mcp', 'https://carrel.example:443/docs/mcp/', true],
    ['http://[::1]:3000/mcp', 'http://[0:0:0:0:0:0:0:1]:3000/mcp', true],
    ['https://carrel.example/mcp', 'http://carrel.example/mcp', false],
    ['https://carrel.example/mcp', 'https://carrel.example:8443/mcp', false],
    ['https://carrel.example/docs/mcp', 'https://carrel.example/mcp', false],
    ['https://carrel.example/mcp', 'https://carrel.example.evil.example/mcp', false],
    ['https://carrel.example/mcp', 'https://carrel.example/MCP', false],
    ['https://carrel.example/mcp', 42, false],
  ])('returns $2 for $0 and $1', (one, other, same) => expect(isSameAddress(other, one)).toBe(same))
})

describe('the key of an entry', () => {
  const url = () => `${locked.url}/mcp`
  const headersAfter = async (headers: Record<string, string>) => {
    const user = homeWith('cursor', { carrel: { url: url(), headers } })
    await user.setup(['cursor'], { root: locked.url })
    const entry = user.entries().carrel
    user.remove()
    expect(read(user.config)).toBe(user.before)
    return entry?.headers
  }

  test('stays in the header that has it, in any case', async () => {
    expect(await headersAfter({ authorization: `bearer ${oldKey}` })).toEqual({ authorization: `bearer ${testKey}` })
    expect(await headersAfter({ authorization: testKey })).toEqual({ authorization: testKey })
    expect(await headersAfter({ 'X-API-Key': oldKey, 'X-Team': 'a' })).toEqual({ 'X-API-Key': testKey, 'X-Team': 'a' })
    expect(await headersAfter({ Authorization: `Bearer ${oldKey}`, 'X-API-Key': oldKey })).toEqual({
      Authorization: `Bearer ${testKey}`,
      'X-API-Key': testKey,
    })
  })

  test('replaces the key of another service, but not that of a proxy with its own scheme', async () => {
    expect(await headersAfter({ authorization: 'Bearer sk-other' })).toEqual({ authorization: `Bearer ${testKey}` })
    expect(await headersAfter({ Authorization: 'Basic YTpi' })).toEqual({
      Authorization: 'Basic YTpi',
      'X-Carrel-API-Key': testKey,
    })
    expect(await headersAfter({ 'X-API-Key': 'of-a-gateway' })).toEqual({ 'X-API-Key': 'of-a-gateway', ...bearer(testKey) })
  })

  test('replaces a key with additional text, and several keys, which --remove restores', async () => {
    expect(await headersAfter({ Authorization: `Bearer "${oldKey}"` })).toEqual(bearer(testKey))
    expect(await headersAfter({ Authorization: `Bearer "${testKey}"` })).toEqual(bearer(testKey))
    expect(await headersAfter({ ...bearer(oldKey), 'X-API-Key': 'carrel_sk_second' })).toEqual({
      ...bearer(testKey),
      'X-API-Key': testKey,
    })
  })

  test('stays if the deployment requires none', async () => {
    const user = homeWith('cursor', { carrel: { url: `${open.url}/mcp`, headers: bearer(testKey) } })
    await user.setup(['cursor'], { root: open.url })
    expect(read(user.config)).toBe(user.before)
  })
})

test.each(clientNames)(
  '%s: an entry without an address, which a project has to change another one, keeps its options',
  async (client) => {
    const { [headersName(client)]: _, ...own } = options[client]
    const user = homeWith(client, { carrel: own })
    await user.setup([client], { root: locked.url })
    const expected = expectedEntry(client, `${locked.url}/mcp`, testKey)
    expect(user.entries()).toEqual({ carrel: merged(expected, own) })
    user.write(user.config, `${read(user.config)}\n`)
    user.remove()
    expect(user.entries()).toEqual({ carrel: own })
  },
)

test('Codex: an entry that is only a table of one of its tools keeps it', async () => {
  const user = homeWith('codex', {})
  const before = `# mine\r\n\r\n# Ask first.\r\n[mcp_servers.carrel.tools.query]\r\napproval_mode = "prompt"\r\n`
  user.write(user.config, before)
  await user.setup(['codex'], { root: locked.url })
  const tools = { query: { approval_mode: 'prompt' } }
  expect(user.entries()).toEqual({ carrel: { ...expectedEntry('codex', `${locked.url}/mcp`, testKey), tools } })
  user.write(user.config, `${read(user.config)}# more\r\n`)
  user.remove()
  expect(user.entries()).toEqual({ carrel: { tools } })
  expect(read(user.config)).toMatch(/^# mine\r\n.*# Ask first\.\r\n.*# more\r\n$/s)
})

describe('an entry of our name with another address', () => {
  test.each(clientNames)('is moved in %s with its options, without the key of the old address', async (client) => {
    const entry = merged(expectedEntry(client, 'http://old.example:3000/mcp', oldKey), options[client])
    for (const [root, key] of [
      [locked.url, testKey],
      [open.url, undefined],
    ] as const) {
      const user = homeWith(client, { carrel: entry })
      await user.setup([client], { root })
      const { [headersName(client)]: _, ...rest } = options[client]
      const headers = { ...(key && bearer(key)), 'X-Team': 'docs' }
      const expected = { ...expectedEntry(client, `${root}/mcp`, undefined), ...rest, [headersName(client)]: headers }
      expect(user.entries()).toEqual({ carrel: expected })
      expect(read(user.config)).not.toContain(oldKey)
      user.write(user.config, `${read(user.config)}\n`)
      user.remove()
      expect(user.entries()).toEqual({ carrel: entry })
    }
  })

  test.each(clientNames)(
    'is replaced in %s as a whole if it has secrets of another service, and --remove restores it',
    async (client) => {
      const secret = { [headersName(client)]: { Authorization: 'Bearer sk-other', 'X-Team': 'docs' } }
      const user = homeWith(client, { carrel: { [addressName(client)]: 'https://editor.example/mcp', timeout: 5, ...secret } })
      await user.setup([client], { root: locked.url })
      expect(user.entries()).toEqual({ carrel: expectedEntry(client, `${locked.url}/mcp`, testKey) })
      user.remove()
      expect(read(user.config)).toBe(user.before)
    },
  )
})

describe('an entry with our address under another name', () => {
  test.each(clientNames)(
    'is treated as ours in %s: no second one is added, its key is renewed, and --remove restores the old one',
    async (client) => {
      const entry = (key: string) => merged(expectedEntry(client, `${locked.url}/mcp`, key), options[client])
      const user = homeWith(client, { docs: entry(oldKey) })
      await user.setup([client], { root: locked.url })
      expect(user.entries()).toEqual({ docs: entry(testKey) })
      expect(user.printed()).toContain('as the server "docs"')
      user.write(user.config, `${read(user.config)}\n`)
      user.remove()
      expect(user.entries()).toEqual({ docs: entry(oldKey) })
    },
  )

  test('is mentioned and stays if there is also ours', async () => {
    const other = { url: `${locked.url}/mcp`, ...withKey('cursor', oldKey) }
    const user = homeWith('cursor', { docs: other, carrel: { ...other } })
    await user.setup(['cursor'], { root: locked.url })
    expect(user.entries()).toEqual({ docs: other, carrel: { ...other, headers: bearer(testKey) } })
    expect(user.printed()).toContain('the server "docs" has the same address')
  })

  test('is ours even if an entry with our name belongs to something else, which is not changed', async () => {
    const servers = { carrel: { command: 'carrel-the-editor' }, docs: { url: `${open.url}/mcp` } }
    const user = homeWith('cursor', servers)
    await user.setup(['cursor'], { root: open.url })
    expect(user.entries()).toEqual(servers)
  })
})

describe('an entry that connects through a program', () => {
  const through = (client: ClientName, url: string, words: string[], env: Record<string, string> = {}) =>
    client === 'opencode'
      ? { type: 'local', command: ['npx', '-y', 'mcp-remote', url, ...words], environment: env, timeout: 5 }
      : { command: 'npx', args: ['-y', 'mcp-remote', url, ...words], env, timeout: 5 }

  test.each(clientNames)('stays in %s, and only its key changes', async (client) => {
    const user = homeWith(client, {
      carrel: through(client, `${locked.url}/mcp`, ['--header', `Authorization: Bearer ${oldKey}`], { KEY: oldKey, A: 'b' }),
    })
    await user.setup([client], { root: locked.url })
    expect(read(user.config)).toBe(user.before.replaceAll(oldKey, testKey))
    expect(modeOf(user.config)).toBe('600')
    user.write(user.config, `${read(user.config)}\n`)
    user.remove()
    expect(read(user.config)).toBe(`${user.before}\n`)
  })

  test.each(clientNames)('stays in %s without a key, which its user has to add', async (client) => {
    const user = homeWith(client, { carrel: through(client, `${locked.url}/mcp`, []) })
    await user.setup([client], { root: locked.url })
    expect(read(user.config)).toBe(user.before)
    expect(user.printed()).toContain('it connects through "npx", to which you must give the key')
  })
})

describe('a TOML file', () => {
  const forms: [string, (url: string) => string][] = [
    [
      'two tables',
      (url) =>
        `[mcp_servers.carrel]\nurl = "${url}"\nenabled = false # off\n\n[mcp_servers.carrel.http_headers]\n# team\nX-Team = "docs"\n\n[tui]\nx = 1\n`,
    ],
    [
      'dotted keys at the top',
      (url) => `mcp_servers.carrel.url = "${url}"\nmcp_servers.carrel.enabled = false\nmodel = "o9"\n\n[tui]\nx = 1\n`,
    ],
    [
      'dotted keys in the section',
      (url) =>
        `[mcp_servers]\ncarrel.url = "${url}"\ncarrel.enabled = false # off\ncarrel.http_headers.X-Team = "docs"\nother.command = "run"\n`,
    ],
    ['an inline table', (url) => `mcp_servers = { carrel = { url = "${url}", enabled = false }, other = { command = "run" } }\n`],
    [
      'an inline entry',
      (url) =>
        `[mcp_servers]\ncarrel = { url = "${url}", enabled = false, http_headers = { X-Team = "docs" } } # ours\nother = { command = "run" }`,
    ],
    ['quoted keys and CRLF', (url) => `\uFEFF["mcp_servers"."carrel"]\r\n  'url' = '${url}'\r\n  enabled = false\r\n`],
    ['no final newline', (url) => `[mcp_servers.carrel]\nenabled = false\nurl = "${url}"`],
    [
      'a table of its tools before the table',
      (url) =>
        `[mcp_servers.carrel.tools.query]\napproval_mode = "approve"\n\n[mcp_servers.carrel]\nurl = "${url}"\nenabled = false\n`,
    ],
  ]
  test.each(forms)('keeps the place of an entry and gets missing fields: %s', async (_, form) => {
    const user = setupHome()
    const { config } = user.paths('codex')
    const content = form(`${locked.url}/mcp/`)
    user.write(config, content)
    expect(await user.setup(['codex'], { root: locked.url })).toMatchObject({ failed: 0 })
    const plainText = (text: string) => parseToml(text.replace('\uFEFF', '')) as { mcp_servers: Record<string, Entry> }
    const [before, after] = [plainText(content), plainText(read(config))]
    const { http_headers: headers = {}, ...rest } = before.mcp_servers.carrel ?? {}
    expect(after).toEqual({
      ...before,
      mcp_servers: {
        ...before.mcp_servers,
        carrel: { ...rest, type: 'http', http_headers: { ...(headers as Entry), ...bearer(testKey) } },
      },
    })
    for (const line of content.split(/\r?\n/)) if (!line.includes('{')) expect(read(config)).toContain(line)
    for (const comment of content.match(/#.*/g) ?? []) expect(read(config)).toContain(comment)
    if (content.includes('\r\n')) expect(read(config).replaceAll('\r\n', '')).not.toContain('\n')

    await user.setup(['codex'], { root: locked.url, key: 'carrel_op_another' })
    user.write(config, `${read(config)}\n# since\n`)
    user.remove()
    expect(plainText(read(config))).toEqual(before)
    expect(read(config)).not.toContain('carrel_op')
  })
})
