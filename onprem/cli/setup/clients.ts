import { existsSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { type ClientName, entryOf } from '../../../shared/clients/entries.ts'
import { type Edit, editOwnFile } from './edit.ts'
import { editJson, jsonServers, strictJsonError } from './edit-json.ts'
import { editSection } from './edit-section.ts'
import { editToml, tomlServers } from './edit-toml.ts'
import type { Target } from './entry-plan.ts'
import { folderVariable, type Home } from './home.ts'
import { cursorRule, ruleText, vscodeRule } from './rule-text.ts'
import type { EntryForm, Servers } from './servers.ts'

/** The files that a client reads: those of the user, or of one project. */
export type Paths = {
  /** The files with servers that the client reads. It merges them, and the last one wins. */
  configs: string[]
  /** The one that gets our entry if none has it. */
  config: string
  rule: string
  /** The folder that holds a folder per skill. */
  skills: string
  /** One of them exists if the client is used here. */
  signs: string[]
}

export type Client = {
  label: string
  /** Instructions for the user to let the client read its configuration again. */
  restart: string
  /** Throws UnusablePaths. */
  user(home: Home): Paths
  /** Undefined if its documentation has no MCP servers of a project. */
  project?(folder: string): Paths
  /** The entries that the client uses if several of its files have a server of one name. */
  several: 'last' | 'merged' | 'all'
  rule: Edit
  form: EntryForm
  entry(target: Target): Edit
  /** The reason why the client rejects a configuration that setup can read, as the end of a sentence. */
  flawOf?(text: string): string | undefined
  /** True if it replaces variables in the form of a shell, such as `$CARREL_API_KEY`. */
  expandsShellVariables?: boolean
  /** The servers of a configuration, by name. Throws UnusableFile. */
  servers(text: string): Servers
}

export const clients: Record<ClientName, Client> = {
  claude: {
    label: 'Claude Code',
    several: 'last',
    restart: 'start a new session of Claude Code; /mcp lists its servers',
    user(home) {
      const own = folderVariable(home, 'CLAUDE_CONFIG_DIR')
      const folder = own ?? join(home.home, '.claude')
      return {
        ...oneConfig(join(own ?? home.home, '.claude.json')),
        rule: join(folder, 'rules/carrel.md'),
        skills: join(folder, 'skills'),
        signs: [folder],
      }
    },
    project: (folder) => ({
      ...oneConfig(join(folder, '.mcp.json')),
      rule: join(folder, '.claude/rules/carrel.md'),
      skills: join(folder, '.claude/skills'),
      signs: [join(folder, '.mcp.json'), join(folder, '.claude')],
    }),
    rule: editOwnFile(ruleText),
    flawOf: strictJsonError,
    ...json('mcpServers', entryOf.claude, { needed: ['type'] }),
  },
  cursor: {
    label: 'Cursor',
    several: 'last',
    restart: 'restart Cursor; its settings list MCP servers',
    user: ({ home }) => cursorPaths(join(home, '.cursor')),
    project: (folder) => cursorPaths(join(folder, '.cursor')),
    rule: editOwnFile(cursorRule),
    ...json('mcpServers', entryOf.cursor),
  },
  vscode: {
    label: 'VS Code',
    several: 'all',
    restart: 'run "MCP: List Servers" in VS Code and start carrel',
    user(home) {
      const folder = codeFolder(home)
      return {
        ...oneConfig(join(folder, 'mcp.json')),
        rule: join(folder, 'prompts/carrel.instructions.md'),
        skills: join(home.home, '.agents/skills'),
        signs: [folder],
      }
    },
    project: (folder) => ({
      ...oneConfig(join(folder, '.vscode/mcp.json')),
      rule: join(folder, '.github/instructions/carrel.instructions.md'),
      skills: join(folder, '.agents/skills'),
      signs: [join(folder, '.vscode')],
    }),
    rule: editOwnFile(vscodeRule),
    ...json('servers', entryOf.vscode),
  },
  codex: {
    label: 'Codex',
    several: 'merged',
    restart: 'start a new session of Codex; /mcp lists its servers',
    user(home) {
      const folder = folderVariable(home, 'CODEX_HOME') ?? join(home.home, '.codex')
      return {
        ...oneConfig(join(folder, 'config.toml')),
        rule: join(folder, 'AGENTS.md'),
        skills: join(home.home, '.agents/skills'),
        signs: [folder],
      }
    },
    project: (folder) => ({
      ...oneConfig(join(folder, '.codex/config.toml')),
      rule: join(folder, 'AGENTS.md'),
      skills: join(folder, '.agents/skills'),
      signs: [join(folder, '.codex')],
    }),
    rule: editSection(ruleText),
    ...toml({ write: entryOf.codex, address: 'url', headers: 'http_headers', needed: [] }),
  },
  opencode: {
    label: 'OpenCode',
    several: 'merged',
    restart: 'restart OpenCode; "opencode mcp list" lists its servers',
    user(home) {
      const folder = join(configFolder(home), 'opencode')
      const { OPENCODE_CONFIG: file = '', OPENCODE_CONFIG_DIR: more = '' } = home.env
      const global = [join(folder, 'config.json'), ...opencodeNames.map((name) => join(folder, name))]
      const others = [join(home.home, '.opencode'), more].flatMap((each) => opencodeNames.map((name) => join(each, name)))
      return {
        // OpenCode takes a relative path from the folder that it runs in.
        configs: [...global, file, ...others].filter((path) => isAbsolute(path)),
        config: opencodeFile(folder),
        rule: join(folder, 'AGENTS.md'),
        skills: join(home.home, '.agents/skills'),
        signs: [folder],
      }
    },
    project: (folder) => ({
      configs: [folder, join(folder, '.opencode')].flatMap((each) => opencodeNames.map((name) => join(each, name))),
      config: opencodeFile(folder),
      rule: join(folder, 'AGENTS.md'),
      skills: join(folder, '.agents/skills'),
      signs: [...opencodeNames, '.opencode'].map((name) => join(folder, name)),
    }),
    rule: editSection(ruleText),
    ...json('mcp', entryOf.opencode, { needed: ['type'] }),
  },
  gemini: {
    label: 'Gemini CLI',
    several: 'last',
    restart: 'start a new session of Gemini CLI; /mcp lists its servers',
    user(home) {
      const folder = folderVariable(home, 'GEMINI_CLI_HOME') ?? home.home
      return { ...geminiPaths(folder), rule: join(folder, '.gemini/GEMINI.md') }
    },
    project: (folder) => ({ ...geminiPaths(folder), rule: join(folder, 'GEMINI.md') }),
    rule: editSection(ruleText),
    expandsShellVariables: true,
    ...json('mcpServers', entryOf.gemini, { address: 'httpUrl' }),
  },
  copilot: {
    label: 'Copilot CLI',
    several: 'last',
    restart: 'start a new session of Copilot CLI; "copilot mcp list" lists its servers',
    user(home) {
      const folder = folderVariable(home, 'COPILOT_HOME') ?? join(home.home, '.copilot')
      return {
        ...oneConfig(join(folder, 'mcp-config.json')),
        rule: join(folder, 'instructions/carrel.instructions.md'),
        skills: join(home.home, '.agents/skills'),
        signs: [folder],
      }
    },
    project: (folder) => ({
      ...oneConfig(join(folder, '.github/mcp.json')),
      rule: join(folder, '.github/instructions/carrel.instructions.md'),
      skills: join(folder, '.agents/skills'),
      signs: [join(folder, '.github/mcp.json'), join(folder, '.github/copilot-instructions.md')],
    }),
    rule: editOwnFile(vscodeRule),
    expandsShellVariables: true,
    ...json('mcpServers', entryOf.copilot, { needed: ['type', 'tools'] }),
  },
  windsurf: {
    label: 'Windsurf',
    several: 'last',
    restart: 'open the MCP servers of Cascade in Windsurf and refresh them',
    user({ home }) {
      const folder = join(home, '.codeium/windsurf')
      return {
        ...oneConfig(join(folder, 'mcp_config.json')),
        rule: join(folder, 'memories/global_rules.md'),
        skills: join(home, '.agents/skills'),
        signs: [folder],
      }
    },
    rule: editSection(ruleText),
    ...json('mcpServers', entryOf.windsurf, { address: 'serverUrl' }),
  },
  zed: {
    label: 'Zed',
    several: 'last',
    restart: 'open the settings of the agent panel in Zed; they list MCP servers',
    user(home) {
      const folder = zedFolder(home)
      return {
        ...oneConfig(join(folder, 'settings.json')),
        rule: join(folder, 'AGENTS.md'),
        skills: join(home.home, '.agents/skills'),
        signs: [folder],
      }
    },
    rule: editSection(ruleText),
    ...json('context_servers', entryOf.zed),
  },
}

type Configuration = Pick<Client, 'form' | 'entry' | 'servers'>

function json(
  section: string,
  write: EntryForm['write'],
  { address = 'url', needed = [] }: Partial<Pick<EntryForm, 'address' | 'needed'>> = {},
): Configuration {
  const form: EntryForm = { write, address, headers: 'headers', needed }
  return {
    form,
    entry: (target) => editJson(section, form, target),
    servers: (text) => jsonServers(text, section),
  }
}

function toml(form: EntryForm): Configuration {
  return { form, entry: (target) => editToml(form, target), servers: tomlServers }
}

const oneConfig = (config: string) => ({ config, configs: [config] })

const cursorPaths = (folder: string): Paths => ({
  ...oneConfig(join(folder, 'mcp.json')),
  rule: join(folder, 'rules/carrel.mdc'),
  skills: join(folder, 'skills'),
  signs: [folder],
})

const geminiPaths = (folder: string): Omit<Paths, 'rule'> => ({
  ...oneConfig(join(folder, '.gemini/settings.json')),
  skills: join(folder, '.agents/skills'),
  signs: [join(folder, '.gemini')],
})

const configFolder = (home: Home): string => folderVariable(home, 'XDG_CONFIG_HOME') ?? join(home.home, '.config')

/** VS Code's folder of the user. */
function codeFolder(home: Home): string {
  if (home.platform === 'darwin') return join(home.home, 'Library/Application Support/Code/User')
  if (home.platform === 'win32') return join(roamingFolder(home), 'Code/User')
  return join(configFolder(home), 'Code/User')
}

/** Zed's folder of the user. On macOS it ignores XDG_CONFIG_HOME. */
function zedFolder(home: Home): string {
  if (home.platform === 'darwin') return join(home.home, '.config/zed')
  if (home.platform === 'win32') return join(roamingFolder(home), 'Zed')
  return join(configFolder(home), 'zed')
}

const roamingFolder = (home: Home): string => folderVariable(home, 'APPDATA') ?? join(home.home, 'AppData/Roaming')

/** OpenCode merges them, in this order. */
const opencodeNames = ['opencode.json', 'opencode.jsonc']

const opencodeFile = (folder: string): string => {
  const [json = '', jsonc = ''] = opencodeNames.map((name) => join(folder, name))
  return existsSync(jsonc) ? jsonc : json
}
