import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type ClientName, clientNames } from '../../../../shared/clients/entries.ts'
import { clientPaths, type FilePaths, opencodeNames, projectPaths } from './client-paths.ts'
import { setupHome } from './setup-home.ts'

const labels: Record<ClientName, string> = {
  claude: 'Claude Code',
  cursor: 'Cursor',
  vscode: 'VS Code',
  codex: 'Codex',
  opencode: 'OpenCode',
  gemini: 'Gemini CLI',
  copilot: 'Copilot CLI',
  windsurf: 'Windsurf',
  zed: 'Zed',
}
const places = ['user', 'project'] as const
const skill = '.agents/skills/carrel-mcp/SKILL.md'

const start = 'Use the Carrel MCP server to fetch current documentation whenever '
const ruleHeads: Record<ClientName, string> = {
  claude: start,
  cursor: `---\nalwaysApply: true\n---\n\n${start}`,
  vscode: `---\napplyTo: "**"\n---\n\n${start}`,
  codex: `<!-- carrel -->\n${start}`,
  opencode: `<!-- carrel -->\n${start}`,
  gemini: `<!-- carrel -->\n${start}`,
  copilot: `---\napplyTo: "**"\n---\n\n${start}`,
  windsurf: `<!-- carrel -->\n${start}`,
  zed: `<!-- carrel -->\n${start}`,
}
const skillHead = `---
name: carrel-mcp
description: Fetches current documentation and code examples of libraries, frameworks, SDKs, APIs and command line tools from Carrel. Use it for questions about setup, API syntax, configuration, migration or errors of a library.
---

# Documentation with Carrel

${start}`

/** The folders in variables are below the home folder. */
type Row = [ClientName, string, FilePaths, { project?: boolean; platform?: NodeJS.Platform; env?: Record<string, string> }]
const variables = {
  CLAUDE_CONFIG_DIR: 'x',
  CODEX_HOME: 'x',
  XDG_CONFIG_HOME: 'x',
  APPDATA: 'x',
  GEMINI_CLI_HOME: 'x',
  COPILOT_HOME: 'x',
}
const usual = clientNames.flatMap((client): Row[] => {
  const ofProject = projectPaths(client)
  const rows: Row[] = [[client, 'of the user', clientPaths[client].user, {}]]
  return ofProject
    ? [...rows, [client, 'of a project, whatever the variables', ofProject, { project: true, env: variables }]]
    : rows
})
const codeFiles = (folder: string): FilePaths => [
  `${folder}/Code/User/mcp.json`,
  `${folder}/Code/User/prompts/carrel.instructions.md`,
  skill,
]
const zedFiles = (folder: string): FilePaths => [`${folder}/settings.json`, `${folder}/AGENTS.md`, skill]
const moved: Row[] = [
  [
    'claude',
    'in CLAUDE_CONFIG_DIR',
    ['x/.claude.json', 'x/rules/carrel.md', 'x/skills/carrel-mcp/SKILL.md'],
    { env: { CLAUDE_CONFIG_DIR: 'x' } },
  ],
  ['codex', 'in CODEX_HOME', ['x/config.toml', 'x/AGENTS.md', skill], { env: { CODEX_HOME: 'x' } }],
  [
    'opencode',
    'in XDG_CONFIG_HOME',
    ['x/opencode/opencode.json', 'x/opencode/AGENTS.md', skill],
    { env: { XDG_CONFIG_HOME: 'x' } },
  ],
  ['vscode', 'in XDG_CONFIG_HOME', codeFiles('x'), { env: { XDG_CONFIG_HOME: 'x' } }],
  ['vscode', 'on macOS', codeFiles('Library/Application Support'), { platform: 'darwin', env: { XDG_CONFIG_HOME: 'x' } }],
  ['vscode', 'on Windows', codeFiles('AppData/Roaming'), { platform: 'win32' }],
  ['vscode', 'in APPDATA', codeFiles('x'), { platform: 'win32', env: { APPDATA: 'x' } }],
  [
    'gemini',
    'in GEMINI_CLI_HOME',
    ['x/.gemini/settings.json', 'x/.gemini/GEMINI.md', 'x/.agents/skills/carrel-mcp/SKILL.md'],
    { env: { GEMINI_CLI_HOME: 'x' } },
  ],
  [
    'copilot',
    'in COPILOT_HOME',
    ['x/mcp-config.json', 'x/instructions/carrel.instructions.md', skill],
    { env: { COPILOT_HOME: 'x' } },
  ],
  ['zed', 'in XDG_CONFIG_HOME', zedFiles('x/zed'), { env: { XDG_CONFIG_HOME: 'x' } }],
  ['zed', 'on macOS', zedFiles('.config/zed'), { platform: 'darwin', env: { XDG_CONFIG_HOME: 'x' } }],
  ['zed', 'on Windows', zedFiles('AppData/Roaming/Zed'), { platform: 'win32' }],
]

test.each([...usual, ...moved])(
  'the files of %s are found and begin as documented: %s',
  async (client, _what, files, { env = {}, ...place }) => {
    const user = setupHome(place)
    for (const [name, folder] of Object.entries(env)) user.env[name] = join(user.home, folder)
    const { url } = await user.setup([client])
    const written = Object.keys(user.tree()).filter((path) => !path.endsWith('/'))
    expect(written.sort()).toEqual([...files].sort())
    if (place.project) expect(readdirSync(user.home)).toEqual(['.local'])
    const heads = [expect.stringContaining(`"${url}"`), beginsWith(ruleHeads[client]), beginsWith(skillHead)]
    expect(files.map((path) => readFileSync(join(user.folder, path), 'utf8'))).toEqual(heads)
  },
)

const beginsWith = (head: string) => expect.toSatisfy((text: string) => text.startsWith(head), `begins with ${head}`)

describe('one of several configurations of OpenCode', () => {
  const folderOf = (place: (typeof places)[number]) => join(clientPaths.opencode[place][0], '..')
  const older = '{ "mcp": { "carrel": { "type": "remote", "url": "http://old.example/mcp" } } }'
  const rows: [string, Record<string, string>, string][] = [
    ['opencode.json is created if there is none', {}, 'opencode.json'],
    ['opencode.json is changed if it is the only one', { 'opencode.json': '{}' }, 'opencode.json'],
    ['opencode.jsonc is changed if both exist', { 'opencode.json': '{}', 'opencode.jsonc': '{}' }, 'opencode.jsonc'],
    ['the one with our entry is changed', { 'opencode.json': older, 'opencode.jsonc': '{}' }, 'opencode.json'],
    ['the last one with our entry is changed', { 'opencode.json': older, 'opencode.jsonc': older }, 'opencode.jsonc'],
    ['one that it does not read is left alone', { '.opencode.json': older, '.opencode.jsonc': older }, 'opencode.json'],
    ['a broken one has no entry', { 'opencode.json': older, 'opencode.jsonc': '{' }, 'opencode.json'],
  ]
  const more: [string, Record<string, string>, string][] = [
    [
      'one in .opencode with our entry is changed',
      { 'opencode.json': older, '.opencode/opencode.json': older },
      '.opencode/opencode.json',
    ],
  ]
  test.each([
    ...rows.flatMap((row) => places.map((place) => [place, ...row] as const)),
    ...more.map((row) => ['project', ...row] as const),
  ])('is chosen in the %s scope: %s', async (place, _, files, changed) => {
    const user = setupHome({ project: place === 'project' })
    const path = (name: string) => join(user.folder, folderOf(place), name)
    for (const [name, text] of Object.entries(files)) user.write(path(name), text)
    const before = user.tree()
    const { url } = await user.setup(['opencode'])
    const written = [...new Set([...Object.keys(files), changed])].filter(
      (name) => readFileSync(path(name), 'utf8') !== files[name],
    )
    expect(written).toEqual([changed])
    expect(readFileSync(path(changed), 'utf8')).toContain(`"${url}"`)
    user.remove()
    expect(user.tree()).toEqual(before)
  })

  test('is also read from its variables and under its oldest name', async () => {
    const user = setupHome()
    user.env.OPENCODE_CONFIG = join(user.home, 'mine.json')
    user.env.OPENCODE_CONFIG_DIR = join(user.home, 'mine')
    const files = ['.config/opencode/config.json', 'mine.json', '.opencode/opencode.json', 'mine/opencode.jsonc']
    for (const path of files.map((name) => join(user.home, name))) {
      user.write(path, older)
      const { url } = await user.setup(['opencode'])
      expect(readFileSync(path, 'utf8')).toContain(`"${url}"`)
    }
  })
})

describe('a variable whose value is no absolute path', () => {
  const rows: [ClientName, string, string, string][] = [
    ['claude', 'CLAUDE_CONFIG_DIR', '~/.x', '; outside of a shell, write HOME/.x'],
    ['codex', 'CODEX_HOME', '~/.codex', '; outside of a shell, write HOME/.codex'],
    ['codex', 'CODEX_HOME', '"~/.codex"', '; outside of a shell, write HOME/.codex'],
    ['codex', 'CODEX_HOME', '$HOME/.codex', '; outside of a shell, write HOME/.codex'],
    ['codex', 'CODEX_HOME', '"/opt/codex"', '; outside of a shell, write /opt/codex'],
    ['opencode', 'XDG_CONFIG_HOME', 'rel', ''],
    ['vscode', 'XDG_CONFIG_HOME', '~', '; outside of a shell, write HOME'],
  ]
  test.each(rows)(
    'is reported for %s (%s=%s), causes no change, and other clients are set up',
    async (client, name, value, advice) => {
      const user = setupHome()
      user.env[name] = value
      const current = readdirSync('.')
      expect(await user.setup([client, 'cursor'])).toMatchObject({ changed: 3, failed: 1 })
      const message = `failed: ${name} is ${value}, which is not an absolute path${advice.replace('HOME', user.home)}. Nothing was changed for this client.`
      expect(user.printed()).toContain(`${labels[client]}\n  ${message}\n`)
      expect(readdirSync(user.home).sort()).toEqual(['.cursor', '.local'])
      expect(readdirSync('.')).toEqual(current)
      expect(user.remove()).toMatchObject({ failed: 0 })
      expect(user.tree()).toEqual({})
    },
  )

  test('does not stop --remove, which finds the files of an earlier setup', async () => {
    const user = setupHome()
    user.env.CODEX_HOME = join(user.home, 'x')
    await user.setup(['codex'])
    user.env.CODEX_HOME = '~/x'
    expect(user.remove()).toMatchObject({ changed: 3, failed: 0 })
    expect(user.tree()).toEqual({})
  })

  test('does not prevent that its client is detected', async () => {
    const user = setupHome()
    user.env.CODEX_HOME = '~/.codex'
    mkdirSync(join(user.home, '.codex'))
    expect(await user.setup([])).toMatchObject({ failed: 1 })
    expect(user.printed()).toContain('CODEX_HOME is ~/.codex')
  })
})

describe('a client without a configuration of a project', () => {
  test('is reported with --project, and the others are set up', async () => {
    for (const client of ['windsurf', 'zed'] as const) {
      const user = setupHome({ project: true })
      expect(await user.setup([client, 'cursor'])).toMatchObject({ changed: 3, failed: 1 })
      expect(user.printed()).toContain(
        `${labels[client]}\n  failed: ${labels[client]} has no configuration of a project; run setup without --project. Nothing was changed for this client.\n`,
      )
      expect(user.remove()).toMatchObject({ failed: 0 })
      expect(user.tree()).toEqual({})
    }
  })

  test('is not found in a project', async () => {
    const user = setupHome({ project: true })
    mkdirSync(join(user.home, '.codeium/windsurf'), { recursive: true })
    mkdirSync(join(user.folder, '.cursor'))
    await user.setup([], { dryRun: true })
    expect(user.printed()).not.toContain('Windsurf')
  })
})

describe('the detection of a client', () => {
  const signs: [ClientName, (typeof places)[number], string[]][] = [
    ['claude', 'user', ['.claude']],
    ['claude', 'project', ['.claude', '.mcp.json']],
    ['cursor', 'user', ['.cursor']],
    ['cursor', 'project', ['.cursor']],
    ['vscode', 'user', ['.config/Code/User']],
    ['vscode', 'project', ['.vscode']],
    ['codex', 'user', ['.codex']],
    ['codex', 'project', ['.codex']],
    ['opencode', 'user', ['.config/opencode']],
    ['opencode', 'project', opencodeNames],
    ['gemini', 'user', ['.gemini']],
    ['gemini', 'project', ['.gemini']],
    ['copilot', 'user', ['.copilot']],
    ['copilot', 'project', ['.github/mcp.json', '.github/copilot-instructions.md']],
    ['windsurf', 'user', ['.codeium/windsurf']],
    ['zed', 'user', ['.config/zed']],
  ]
  test.each(signs)('finds %s in the %s by %s', async (client, place, paths) => {
    for (const path of paths) {
      const user = setupHome({ project: place === 'project' })
      mkdirSync(join(user.folder, path), { recursive: true })
      await user.setup([], { dryRun: true })
      expect(user.printed().match(/^\w.*(?=\n {2}MCP server)/gm)).toEqual([labels[client]])
    }
  })
})

test.each(clientNames)('the page docs/clients.md names the files of %s', (client) => {
  const text = readFileSync(new URL('../../../../docs/clients.md', import.meta.url), 'utf8')
  const [section = ''] = text.split(`### ${labels[client]}\n`)[1]?.split('\n##') ?? []
  for (const [at, what] of ['MCP server', 'rule', 'skill'].entries()) {
    expect(section).toContain(`| ${what} | \`~/${clientPaths[client].user[at]}\``)
    const ofProject = projectPaths(client)?.[at]
    expect(section).toContain(ofProject ? `| \`${ofProject}\` |` : '| – |')
  }
})
