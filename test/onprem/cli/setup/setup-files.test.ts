import {
  chmodSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { parse } from 'jsonc-parser'
import { parse as parseToml } from 'smol-toml'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { removeSetup } from '../../../../onprem/cli/setup/run-setup.ts'
import { type ClientName, clientNames } from '../../../../shared/clients/entries.ts'
import type { RecordingServer } from '../../../fixtures/recording-server.ts'
import { addressName, expectedEntry, sectionOf, unusableFiles, usableFiles } from './client-files.ts'
import { projectPaths, scopesOf } from './client-paths.ts'
import { deployment, modeOf, setupHome, testKey } from './setup-home.ts'

const servers = (client: ClientName, text: string): Record<string, unknown> => {
  const value =
    client === 'codex'
      ? parseToml(text.replace('\uFEFF', ''), { integersAsBigInt: 'asNeeded' })
      : parse(text.replace('\uFEFF', ''))
  return ((value ?? {}) as Record<string, Record<string, unknown>>)[sectionOf(client)] ?? {}
}
const read = (path: string) => readFileSync(path, 'utf8')

let open: RecordingServer
let locked: RecordingServer
beforeAll(async () => {
  open = await deployment({ enabled: false })
  locked = await deployment({ enabled: true })
})
afterAll(() => Promise.all([open.close(), locked.close()]))

describe('setup', () => {
  describe.each([
    ['without a key', { enabled: false, project: false }],
    ['with a key', { enabled: true, project: false }],
    ['with a key, in a project', { enabled: true, project: true }],
  ])('%s', (_, { enabled, project }) => {
    const files = usableFiles.filter(([client]) => !project || projectPaths(client))
    test.each(files)('adds its entry for %s once, and --remove restores every byte: %s', async (client, _what, content) => {
      const user = setupHome({ project })
      const { config } = user.paths(client)
      user.write(config, content)
      const before = user.tree()

      const { url: root } = enabled ? locked : open
      const { url, failed } = await user.setup([client], { root })
      expect({ failed, printed: user.printed() }).toMatchObject({ failed: 0 })
      const { carrel: _former, ...others } = servers(client, content)
      const key = enabled ? testKey : undefined
      expect(servers(client, read(config))).toEqual({ ...others, carrel: expectedEntry(client, url, key) })
      expect(read(config).startsWith('\uFEFF')).toBe(content.startsWith('\uFEFF'))
      if (content.includes('\r\n')) expect(read(config).replaceAll('\r\n', '')).not.toContain('\n')
      for (const comment of content.match(/(\/\/|\/\*|# ).*/g) ?? [])
        if (!comment.includes('why')) expect(read(config)).toContain(comment)
      expect(modeOf(config)).toBe(enabled ? '600' : '644')

      const written = user.tree()
      const { mtimeMs } = statSync(config)
      expect(await user.setup([client], { root })).toMatchObject({ changed: 0, failed: 0 })
      expect([user.tree(), statSync(config).mtimeMs]).toEqual([written, mtimeMs])

      expect(user.remove()).toMatchObject({ failed: 0 })
      expect(user.tree()).toEqual(before)
      if (project) expect(readdirSync(user.home)).toEqual([])
    })
  })
})

test.each(clientNames)('setup --remove for %s leaves no file if there was none before', async (client) => {
  for (const project of scopesOf(client)) {
    const user = setupHome({ project })
    await user.setup([client], { enabled: true })
    expect(Object.values(user.paths(client)).filter((path) => !existsSync(path))).toEqual([])
    user.remove()
    expect(user.tree()).toEqual({})
  }
})

describe('a file that setup cannot use', () => {
  test.each(unusableFiles)(
    'is left unchanged, and the rest is done, for %s with %s',
    async (client, _what, [content, reason]) => {
      const user = setupHome()
      const { config, rule } = user.paths(client)
      user.write(config, content)
      const before = user.tree()
      const other = client === 'cursor' ? 'claude' : 'cursor'
      expect(await user.setup([client, other])).toMatchObject({ failed: 1 })
      expect(user.printed()).toContain(reason)
      expect(read(config)).toBe(content)
      expect(existsSync(rule)).toBe(true)
      expect(existsSync(user.paths(other).config)).toBe(true)
      user.remove()
      expect(user.tree()).toEqual(before)
    },
  )

  const special: [string, (path: string) => void, string][] = [
    ['a folder', (path) => mkdirSync(path, { recursive: true }), 'is a folder'],
    ['a link to nothing', (path) => symlinkSync('/no/such/file', path), 'is a symbolic link to a file that does not exist'],
    ['a link to itself', (path) => symlinkSync(path, path), 'is a symbolic link to'],
    ['a device', (path) => symlinkSync('/dev/zero', path), 'is not a file'],
  ]
  test.each(special)('is left unchanged, and the rest is done, if it is %s', async (_what, make, reason) => {
    for (const client of clientNames) {
      const user = setupHome()
      const { config } = user.paths(client)
      mkdirSync(join(config, '..'), { recursive: true })
      make(config)
      const before = user.tree()
      expect(await user.setup([client])).toMatchObject({ failed: 1 })
      expect(user.printed()).toContain(reason)
      user.remove()
      expect(user.tree()).toEqual(before)
    }
  })

  test('is left unchanged, and the rest is done, if it is read-only or not UTF-8', async () => {
    for (const client of clientNames) {
      const user = setupHome()
      const { config } = user.paths(client)
      user.write(config, Buffer.from([0xff, 0xfe, 0x7b, 0]))
      expect(await user.setup([client])).toMatchObject({ failed: 1 })
      expect(user.printed()).toContain('is not UTF-8 text')
      user.write(config, client === 'codex' ? 'a = 1\n' : '{"a": 1}\n')
      chmodSync(config, 0o444)
      const before = user.tree()
      expect(await user.setup([client])).toMatchObject({ failed: 1 })
      expect(user.printed()).toContain('is read-only')
      expect(user.tree()).toMatchObject(before)
    }
  })
})

test('setup changes the target of a symbolic link, and --remove restores it', async () => {
  for (const client of clientNames) {
    const user = setupHome()
    const { config } = user.paths(client)
    const target = join(user.home, 'dotfiles/config')
    const content = client === 'codex' ? '# mine\na = 1\n' : '{ "a": 1 }\n'
    user.write(target, content)
    mkdirSync(join(config, '..'), { recursive: true })
    symlinkSync(target, config)
    const before = user.tree()
    await user.setup([client])
    expect(servers(client, read(target))).toHaveProperty('carrel')
    expect(user.tree()[config.slice(user.home.length + 1)]).toBe(`link to ${target}`)
    user.remove()
    expect(user.tree()).toEqual(before)
  }
})

// Claude Code's form is that of all clients but Codex.
test('setup changes a file of 10 MB, and --remove restores it', async () => {
  for (const client of ['claude', 'codex'] as const) {
    const user = setupHome()
    const { config } = user.paths(client)
    const filler = Array.from({ length: 100_000 }, (_, n) =>
      client === 'codex' ? `k${n} = "${'x'.repeat(90)}"\n` : `  "k${n}": "${'x'.repeat(90)}",\n`,
    )
    const content = client === 'codex' ? filler.join('') : `{\n${filler.join('')}  "end": 1\n}\n`
    expect(content.length).toBeGreaterThan(9_900_000)
    user.write(config, content)
    expect(await user.setup([client])).toMatchObject({ failed: 0 })
    expect(read(config).length).toBeGreaterThan(content.length)
    user.remove()
    expect(read(config) === content).toBe(true)
  }
})

describe('setup --remove of a file that its user edited', () => {
  test.each(usableFiles)('deletes only the entry, and restores an older one: %s, %s', async (client, _what, content) => {
    const user = setupHome()
    const { config } = user.paths(client)
    user.write(config, content)
    await user.setup([client], { enabled: true })
    const mark = client === 'codex' ? '# edited\n' : '// edited\n'
    const edited = (text: string) => (text.startsWith('\uFEFF') ? `\uFEFF${mark}${text.slice(1)}` : mark + text)
    user.write(config, edited(read(config)))
    const { failed } = await user.setup([client], { enabled: true, key: 'carrel_op_another' })
    expect(failed).toBe(0)
    user.write(config, edited(read(config)))
    user.remove()
    expect(servers(client, read(config))).toEqual(servers(client, content))
    expect(read(config).match(/edited/g)).toHaveLength(2)
    expect(read(config)).not.toContain(testKey)
  })

  test('restores no older entry if the user deleted ours', async () => {
    const user = setupHome()
    const { config } = user.paths('claude')
    user.write(config, '{ "mcpServers": { "carrel": { "command": "mine" } } }\n')
    await user.setup(['claude'])
    user.write(config, '{ "mcpServers": { "other": {} } }\n')
    user.remove()
    expect(read(config)).toBe('{ "mcpServers": { "other": {} } }\n')
  })

  test('keeps the file if setup created it and its user added something', async () => {
    const user = setupHome()
    await user.setup(['claude', 'codex'])
    const agents = user.paths('codex').rule
    user.write(agents, `# My rules\n\n${read(agents)}\nMore.\n`)
    const { config } = user.paths('claude')
    user.write(config, read(config).replace('{', '{\n  "theme": "dark",'))
    user.remove()
    expect(read(agents)).toBe('# My rules\n\nMore.\n')
    expect(parse(read(config))).toEqual({ theme: 'dark' })
  })

  test('keeps the file if it is a rule, which setup replaces and --remove restores', async () => {
    const user = setupHome()
    await user.setup(['claude'])
    const { rule } = user.paths('claude')
    user.write(rule, 'My own words.\n')
    user.remove()
    expect(read(rule)).toBe('My own words.\n')
    expect(user.printed()).toMatch(/rule +kept +~\/.claude\/rules\/carrel.md \(it was edited since\)/)
    await user.setup(['claude'])
    expect(read(rule)).toContain('resolve-library-id')
    user.remove()
    expect(read(rule)).toBe('My own words.\n')
  })
})

test('setup --remove keeps what setup did not write, whatever its name', async () => {
  const user = setupHome()
  user.write(user.paths('cursor').config, '{ "mcpServers": { "carrel": { "url": "https://by-hand.example/mcp" } } }\n')
  user.write(user.paths('cursor').rule, 'Mine.\n')
  const before = user.tree()
  await user.setup(['claude'])
  user.printed()
  user.remove()
  expect(user.tree()).toEqual(before)
  expect(user.printed()).toMatch(/MCP server {2}kept +~\/\.cursor\/mcp\.json \(setup did not write it\)/)
  user.remove()
  expect(user.printed()).not.toContain('Nothing of Carrel was found')
})

describe('AGENTS.md', () => {
  test.each([
    ['text', '# Rules\n\nBe kind.\n'],
    ['no final newline', '# Rules'],
    ['CRLF line ends', '# Rules\r\n\r\nBe kind.\r\n'],
    ['nothing', ''],
  ])('gets a section between two markers, which --remove deletes, if it has %s', async (_, content) => {
    const user = setupHome({ project: true })
    const agents = join(user.folder, 'AGENTS.md')
    user.write(agents, content)
    const before = user.tree()
    await user.setup(['codex', 'opencode'])
    expect(read(agents).startsWith(content)).toBe(true)
    expect(read(agents).match(/^<!-- carrel -->\r?$/gm)).toHaveLength(2)
    user.remove(['codex'])
    expect(read(agents)).toContain('<!-- carrel -->')
    expect(user.printed()).toMatch(/AGENTS\.md \(used by OpenCode\)/)
    user.remove(['opencode'])
    expect(user.tree()).toEqual(before)
  })

  test('is left unchanged if it has only one marker', async () => {
    const user = setupHome({ project: true })
    user.write(join(user.folder, 'AGENTS.md'), 'a\n<!-- carrel -->\nb\n')
    expect(await user.setup(['codex'])).toMatchObject({ failed: 1 })
    expect(user.printed()).toContain('must have the line <!-- carrel --> twice or not at all')
    expect(read(join(user.folder, 'AGENTS.md'))).toBe('a\n<!-- carrel -->\nb\n')
  })
})

test('setup leaves an entry of Context7 unchanged and mentions it', async () => {
  const user = setupHome()
  const { config } = user.paths('vscode')
  const content = '{\n  "servers": {\n    "context7": { "url": "https://c.example/mcp" }\n  }\n}\n'
  user.write(config, content)
  await user.setup(['vscode'])
  expect(parse(read(config)).servers.context7).toEqual({ url: 'https://c.example/mcp' })
  expect(user.printed()).toContain('~/.config/Code/User/mcp.json also has the server "context7", which was left alone.')
})

describe('options that a user added to our entry', () => {
  test.each(clientNames)('stay in %s for the same address and key and for others', async (client) => {
    const user = setupHome()
    const { config } = user.paths(client)
    const entry = () => servers(client, read(config)).carrel
    const { url: root } = locked
    await user.setup([client], { root })
    const ours = read(config)
    const withOption =
      client === 'codex'
        ? ours.replace('url =', 'timeout = 5\nurl =')
        : ours.replace(`"${addressName(client)}":`, `"timeout": 5, "${addressName(client)}":`)
    user.write(config, withOption)
    expect(entry()).toEqual({ ...expectedEntry(client, `${root}/mcp`, testKey), timeout: 5 })

    expect(await user.setup([client], { root })).toEqual({ changed: 0, failed: 0, url: `${root}/mcp` })
    expect(read(config)).toBe(withOption)
    for (const [change, key] of [
      [{ root, key: 'carrel_op_another' }, 'carrel_op_another'],
      [{ root: open.url }, undefined],
    ] as const) {
      user.write(config, withOption)
      const { url } = await user.setup([client], change)
      expect(entry()).toEqual({ ...expectedEntry(client, url, key), timeout: 5 })
    }
    user.remove()
    expect(user.tree()).toEqual({})
  })
})

test('setup --dry-run shows the change without the key, and writes nothing', async () => {
  const user = setupHome()
  user.write(
    user.paths('claude').config,
    '{\n  "mcpServers": { "carrel": { "url": "x", "headers": { "Authorization": "Bearer old-secret" } } }\n}\n',
  )
  const before = user.tree()
  const { changed } = await user.setup(['claude', 'codex'], { enabled: true, dryRun: true })
  expect(changed).toBe(6)
  const printed = user.printed()
  expect(printed).toMatch(/MCP server {2}would be changed +~\/\.claude\.json/)
  expect(printed).toContain('    +       "Authorization": "…"')
  expect(printed).toContain('    + Authorization = "…"')
  expect(printed).toMatch(/ {4}\+ +"url": "http:\/\/127\.0\.0\.1:\d+\/…"/)
  expect(printed).not.toMatch(/old-secret|key-of-a-test/)
  expect(user.tree()).toEqual(before)
  expect(existsSync(join(user.home, '.local'))).toBe(false)

  await user.setup(['claude'])
  const after = user.tree()
  user.remove([], true)
  expect(user.printed()).toMatch(/would be restored +~\/\.claude\.json/)
  expect(user.tree()).toEqual(after)
})

test('setup --dry-run shows no value of another server on the same line', async () => {
  const user = setupHome()
  const { config } = user.paths('cursor')
  const other = `{ "command": "run", "args": ["--token", "s1"], "env": { "A": "s2 \\"s3" }, "url": "https://a:s4@x.example/s5/mcp?s6" }`
  user.write(config, `{ "mcpServers": { "other": ${other} } }`)
  user.write(user.paths('codex').config, `mcp_servers = { other = { args = ['s7'], env = { A = "s8" } } }\n`)
  await user.setup(['cursor', 'codex'], { dryRun: true })
  const printed = user.printed()
  expect(printed).toContain('"other": { "command": "…", "args": ["…", "…"], "env": { "A": "…" }, "url": "…" }')
  expect(printed).not.toMatch(/\bs\d\b/)
})

test('setup in a project follows no symbolic link, neither out of it nor to another file of it', async () => {
  const user = setupHome({ project: true })
  const outside = join(user.home, '.profile')
  const manifest = join(user.folder, 'package.json')
  writeFileSync(outside, 'export A=b\n')
  writeFileSync(manifest, '{ "private": true }\n')
  mkdirSync(join(user.folder, '.claude/rules'), { recursive: true })
  symlinkSync(outside, join(user.folder, '.claude/rules/carrel.md'))
  symlinkSync(user.home, join(user.folder, '.claude/skills'))
  symlinkSync('package.json', join(user.folder, '.mcp.json'))
  const before = user.tree()
  expect(await user.setup(['claude'], { enabled: true })).toMatchObject({ changed: 0, failed: 3 })
  expect(user.printed()).toMatch(
    /rule +failed +\.claude\/rules\/carrel\.md \(is reached by a symbolic link, which setup does not follow in a project\)/,
  )
  expect(user.tree()).toEqual(before)
  expect([read(outside), read(manifest)]).toEqual(['export A=b\n', '{ "private": true }\n'])
  expect(readdirSync(user.home)).toEqual(['.profile'])
})

test('a file that its user restored stays, with an entry of the same name', async () => {
  for (const again of [false, true]) {
    const user = setupHome({ project: true })
    const { config } = user.paths('claude')
    const content = '{ "mcpServers": { "carrel": { "command": "mine" } } }\n'
    user.write(config, content)
    const before = user.tree()
    await user.setup(['claude'], { enabled: true })
    user.write(config, content)
    chmodSync(config, 0o644)
    if (again) await user.setup(['claude'])
    user.remove()
    expect(user.tree()).toEqual(before)
  }
})

test('setup --remove names no client that was not set up, and keeps what it shares with one that was', async () => {
  const user = setupHome()
  await user.setup(['codex'])
  const before = user.tree()
  user.printed()
  expect(user.remove(['vscode', 'opencode'])).toEqual({ changed: 0, failed: 0 })
  expect(user.tree()).toEqual(before)
  user.remove()
  expect(user.printed()).not.toMatch(/VS Code|OpenCode/)
  expect(user.tree()).toEqual({})
})

describe('setup --remove of a file that its client no longer reads', () => {
  test('restores it if another file has precedence', async () => {
    const user = setupHome()
    const folder = join(user.home, '.config/opencode')
    user.write(join(folder, 'opencode.jsonc'), '{ "theme": "dark" }\n')
    const before = user.tree()
    await user.setup(['opencode'])
    user.write(join(folder, 'opencode.json'), '{}\n')
    user.remove()
    const { '.config/opencode/opencode.json': added, ...others } = user.tree()
    expect(added).toBeDefined()
    expect(others).toEqual(before)
  })

  test('restores it if a variable was changed', async () => {
    const user = setupHome()
    user.env.CODEX_HOME = join(user.home, 'before')
    user.write(join(user.home, 'before/config.toml'), 'model = "o9"\n')
    const before = user.tree()
    await user.setup(['codex'])
    user.env.CODEX_HOME = join(user.home, 'after')
    expect(user.remove(['claude'])).toEqual({ changed: 0, failed: 0 })
    user.remove(['codex'], true)
    expect(user.printed()).toMatch(/MCP server +would be restored +~\/before\/config\.toml/)
    expect(user.remove(['codex'])).toEqual({ changed: 3, failed: 0 })
    expect(user.tree()).toEqual(before)
  })

  test('keeps it if it is in a project that --remove does not include', async () => {
    const user = setupHome({ project: true })
    await user.setup(['claude'])
    const before = user.tree()
    const place = { home: { home: user.home, env: {}, platform: 'linux' as const }, project: undefined }
    expect(removeSetup({ clients: [], place, dryRun: false })).toEqual({ changed: 0, failed: 0 })
    expect(user.tree()).toEqual(before)
  })
})

test('setup --remove reports a damaged backup, and does the rest', async () => {
  const user = setupHome()
  await user.setup(['cursor'])
  const { config, rule } = user.paths('cursor')
  const [backup = ''] = globSync(join(user.home, '.local/state/carrel/setup/*/change.json')).filter((path) =>
    read(path).includes(config),
  )
  writeFileSync(backup, '')
  expect(user.remove()).toMatchObject({ changed: 2, failed: 1 })
  expect(user.printed()).toContain(`its backup in ${join(backup, '..')} is damaged; delete that folder`)
  expect([existsSync(config), existsSync(rule)]).toEqual([true, false])
})

test('setup --remove continues if backups lack fields or the list of folders is damaged', async () => {
  const user = setupHome()
  await user.setup(['cursor'])
  const [backup = ''] = globSync(join(user.home, '.local/state/carrel/setup/*/change.json'))
  for (const text of ['{}', 'null']) {
    writeFileSync(backup, text)
    expect(user.remove([], true)).toMatchObject({ changed: 2, failed: 1 })
  }
  rmSync(join(backup, '..'), { recursive: true })
  writeFileSync(join(user.home, '.local/state/carrel/setup/created.json'), '')
  expect(user.remove()).toMatchObject({ changed: 2, failed: 0 })
})

test('setup ignores a relative XDG_STATE_HOME, because a repository could contain it', async () => {
  const user = setupHome()
  user.env.XDG_STATE_HOME = 'state'
  await user.setup(['cursor'])
  expect(existsSync('state')).toBe(false)
  expect(globSync(join(user.home, '.local/state/carrel/setup/*/change.json'))).toHaveLength(3)
})

test('setup --remove deletes the folders of its backups, except those that existed before', async () => {
  for (const existing of ['', '.local/state']) {
    const user = setupHome()
    mkdirSync(join(user.home, existing), { recursive: true })
    await user.setup(['claude', 'cursor'])
    user.remove(['claude'])
    user.remove()
    expect(readdirSync(user.home, { recursive: true }).sort()).toEqual(existing ? ['.local', '.local/state'] : [])
  }
})

test('setup makes one private backup per change', async () => {
  const user = setupHome()
  const { config } = user.paths('cursor')
  user.write(config, '{ "secret": 1 }\n')
  await user.setup(['cursor'])
  const state = join(user.home, '.local/state/carrel/setup')
  const backups = globSync('*/original', { cwd: state })
  expect(backups).toHaveLength(1)
  const [backup = ''] = backups
  expect(read(join(state, backup))).toBe('{ "secret": 1 }\n')
  expect([modeOf(join(state, backup)), modeOf(state)]).toEqual(['600', '700'])
  await user.setup(['cursor'], { enabled: true })
  expect(globSync('*/original', { cwd: state }).map((each) => read(join(state, each)))).toEqual(['{ "secret": 1 }\n'])
  user.remove()
  expect(existsSync(state)).toBe(false)
})
