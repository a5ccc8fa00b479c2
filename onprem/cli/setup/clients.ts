import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Edit } from './edit.ts'
import { editJson, jsonServers } from './edit-json.ts'
import { editOwnFile } from './edit-own-file.ts'
import { editSection } from './edit-section.ts'
import { editToml, tomlServers } from './edit-toml.ts'
import { entryOf } from './entries.ts'
import type { Target } from './entry-plan.ts'
import { cursorRule, ruleText, vscodeRule } from './rule-text.ts'
import type { EntryForm, Servers } from './server-entry.ts'

export const clientNames = ['claude', 'cursor', 'vscode', 'codex', 'opencode'] as const
export type ClientName = (typeof clientNames)[number]

/** Where the user's files are. */
export type Home = { home: string; env: Record<string, string | undefined>; platform: NodeJS.Platform }

/** Where a client reads its files: those of the user, or of one project. */
export type Paths = {
  config: string
  rule: string
  /** The folder that holds a folder per skill. */
  skills: string
  /** One of them exists if the client is used here. */
  signs: string[]
}

export type Client = {
  label: string
  /** How the user lets the client read its configuration again. */
  restart: string
  user(home: Home): Paths
  project(folder: string): Paths
  rule: Edit
  form: EntryForm
  entry(target: Target): Edit
  /** The servers of a configuration, by name. Throws UnusableFile. */
  servers(text: string): Servers
}

export const clients: Record<ClientName, Client> = {
  claude: {
    label: 'Claude Code',
    restart: 'start a new session of Claude Code; /mcp lists its servers',
    user({ home, env }) {
      const folder = env.CLAUDE_CONFIG_DIR || join(home, '.claude')
      const config = join(env.CLAUDE_CONFIG_DIR || home, '.claude.json')
      return { config, rule: join(folder, 'rules/carrel.md'), skills: join(folder, 'skills'), signs: [folder] }
    },
    project: (folder) => ({
      config: join(folder, '.mcp.json'),
      rule: join(folder, '.claude/rules/carrel.md'),
      skills: join(folder, '.claude/skills'),
      signs: [join(folder, '.mcp.json'), join(folder, '.claude')],
    }),
    rule: editOwnFile(ruleText),
    ...json('mcpServers', { write: entryOf.claude, headers: 'headers', needed: ['type'] }),
  },
  cursor: {
    label: 'Cursor',
    restart: 'restart Cursor; its settings list MCP servers',
    user: ({ home }) => cursorPaths(join(home, '.cursor')),
    project: (folder) => cursorPaths(join(folder, '.cursor')),
    rule: editOwnFile(cursorRule),
    ...json('mcpServers', { write: entryOf.cursor, headers: 'headers', needed: [] }),
  },
  vscode: {
    label: 'VS Code',
    restart: 'run "MCP: List Servers" in VS Code and start carrel',
    user(home) {
      const folder = codeFolder(home)
      return {
        config: join(folder, 'mcp.json'),
        rule: join(folder, 'prompts/carrel.instructions.md'),
        skills: join(home.home, '.agents/skills'),
        signs: [folder],
      }
    },
    project: (folder) => ({
      config: join(folder, '.vscode/mcp.json'),
      rule: join(folder, '.github/instructions/carrel.instructions.md'),
      skills: join(folder, '.agents/skills'),
      signs: [join(folder, '.vscode')],
    }),
    rule: editOwnFile(vscodeRule),
    ...json('servers', { write: entryOf.vscode, headers: 'headers', needed: [] }),
  },
  codex: {
    label: 'Codex',
    restart: 'start a new session of Codex; /mcp lists its servers',
    user({ home, env }) {
      const folder = env.CODEX_HOME || join(home, '.codex')
      return {
        config: join(folder, 'config.toml'),
        rule: join(folder, 'AGENTS.md'),
        skills: join(home, '.agents/skills'),
        signs: [folder],
      }
    },
    project: (folder) => ({
      config: join(folder, '.codex/config.toml'),
      rule: join(folder, 'AGENTS.md'),
      skills: join(folder, '.agents/skills'),
      signs: [join(folder, '.codex')],
    }),
    rule: editSection(ruleText),
    ...toml({ write: entryOf.codex, headers: 'http_headers', needed: [] }),
  },
  opencode: {
    label: 'OpenCode',
    restart: 'restart OpenCode; "opencode mcp list" lists its servers',
    user({ home, env }) {
      const folder = join(env.XDG_CONFIG_HOME || join(home, '.config'), 'opencode')
      return {
        config: opencodeFile(folder),
        rule: join(folder, 'AGENTS.md'),
        skills: join(home, '.agents/skills'),
        signs: [folder],
      }
    },
    project: (folder) => ({
      config: opencodeFile(folder),
      rule: join(folder, 'AGENTS.md'),
      skills: join(folder, '.agents/skills'),
      signs: opencodeNames.map((name) => join(folder, name)),
    }),
    rule: editSection(ruleText),
    ...json('mcp', { write: entryOf.opencode, headers: 'headers', needed: ['type'] }),
  },
}

type Configuration = Pick<Client, 'form' | 'entry' | 'servers'>

function json(section: string, form: EntryForm): Configuration {
  return {
    form,
    entry: (target) => editJson(section, form, target),
    servers: (text) => jsonServers(text, section),
  }
}

function toml(form: EntryForm): Configuration {
  return { form, entry: (target) => editToml(form, target), servers: tomlServers }
}

const cursorPaths = (folder: string): Paths => ({
  config: join(folder, 'mcp.json'),
  rule: join(folder, 'rules/carrel.mdc'),
  skills: join(folder, 'skills'),
  signs: [folder],
})

/** VS Code's folder of the user. */
function codeFolder({ home, env, platform }: Home): string {
  if (platform === 'darwin') return join(home, 'Library/Application Support/Code/User')
  if (platform === 'win32') return join(env.APPDATA || join(home, 'AppData/Roaming'), 'Code/User')
  return join(env.XDG_CONFIG_HOME || join(home, '.config'), 'Code/User')
}

const opencodeNames = ['opencode.json', 'opencode.jsonc', '.opencode.json', '.opencode.jsonc']

/** OpenCode reads the first of them that exists. */
const opencodeFile = (folder: string): string => {
  const [first = '', ...others] = opencodeNames.map((name) => join(folder, name))
  return [first, ...others].find((path) => existsSync(path)) ?? first
}
