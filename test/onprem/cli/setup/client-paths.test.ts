import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type ClientName, clientNames } from '../../../../onprem/cli/setup/clients.ts'
import { clientPaths, type FilePaths, opencodeNames } from './client-paths.ts'
import { setupHome } from './setup-home.ts'

const labels = { claude: 'Claude Code', cursor: 'Cursor', vscode: 'VS Code', codex: 'Codex', opencode: 'OpenCode' }
const places = ['user', 'project'] as const
const skill = '.agents/skills/carrel-mcp/SKILL.md'

const start = 'Use the Carrel MCP server to fetch current documentation whenever '
const ruleHeads: Record<ClientName, string> = {
  claude: start,
  cursor: `---\nalwaysApply: true\n---\n\n${start}`,
  vscode: `---\napplyTo: "**"\n---\n\n${start}`,
  codex: `<!-- carrel -->\n${start}`,
  opencode: `<!-- carrel -->\n${start}`,
}
const skillHead = `---
name: carrel-mcp
description: Fetches current documentation and code examples of libraries, frameworks, SDKs, APIs and command line tools from Carrel. Use it for questions about setup, API syntax, configuration, migration or errors of a library.
---

# Documentation with Carrel

${start}`

/** The folders in variables are below the home folder. */
type Row = [ClientName, string, FilePaths, { project?: boolean; platform?: NodeJS.Platform; env?: Record<string, string> }]
const variables = { CLAUDE_CONFIG_DIR: 'x', CODEX_HOME: 'x', XDG_CONFIG_HOME: 'x', APPDATA: 'x' }
const usual = clientNames.flatMap((client): Row[] => [
  [client, 'of the user', clientPaths[client].user, {}],
  [client, 'of a project, whatever the variables', clientPaths[client].project, { project: true, env: variables }],
])
const codeFiles = (folder: string): FilePaths => [
  `${folder}/Code/User/mcp.json`,
  `${folder}/Code/User/prompts/carrel.instructions.md`,
  skill,
]
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
]

test.each([...usual, ...moved])('%s, %s: the files and how they begin', async (client, _what, files, { env = {}, ...place }) => {
  const user = setupHome(place)
  for (const [name, folder] of Object.entries(env)) user.env[name] = join(user.home, folder)
  const { url } = await user.setup([client])
  const written = Object.keys(user.tree()).filter((path) => !path.endsWith('/'))
  expect(written.sort()).toEqual([...files].sort())
  if (place.project) expect(readdirSync(user.home)).toEqual(['.local'])
  const heads = [expect.stringContaining(`"${url}"`), beginsWith(ruleHeads[client]), beginsWith(skillHead)]
  expect(files.map((path) => readFileSync(join(user.folder, path), 'utf8'))).toEqual(heads)
})

const beginsWith = (head: string) => expect.toSatisfy((text: string) => text.startsWith(head), `begins with ${head}`)

test.each(places)('OpenCode, %s: the first of four files that exists is the configuration', async (place) => {
  for (const [at, name] of opencodeNames.entries()) {
    const user = setupHome({ project: place === 'project' })
    const existing = opencodeNames.slice(at).map((each) => join(clientPaths.opencode[place][0], '..', each))
    for (const path of existing) user.write(join(user.folder, path), '{}')
    await user.setup(['opencode'])
    const changed = existing.filter((path) => readFileSync(join(user.folder, path), 'utf8') !== '{}')
    expect(changed).toEqual([join(clientPaths.opencode[place][0], '..', name)])
  }
})

describe('a client is found by', () => {
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
  ]
  test.each(signs)('%s, %s: %s', async (client, place, paths) => {
    for (const path of paths) {
      const user = setupHome({ project: place === 'project' })
      mkdirSync(join(user.folder, path), { recursive: true })
      await user.setup([], { dryRun: true })
      expect(user.printed().match(/^\w.*(?=\n {2}MCP server)/gm)).toEqual([labels[client]])
    }
  })
})

test.each(clientNames)('docs/clients.md names the files of %s', (client) => {
  const text = readFileSync(new URL('../../../../docs/clients.md', import.meta.url), 'utf8')
  const [section = ''] = text.split(`### ${labels[client]}\n`)[1]?.split('\n##') ?? []
  for (const [at, what] of ['MCP server', 'rule', 'skill'].entries()) {
    expect(section).toContain(`| ${what} | \`~/${clientPaths[client].user[at]}\``)
    expect(section).toContain(`| \`${clientPaths[client].project[at]}\` |`)
  }
})
