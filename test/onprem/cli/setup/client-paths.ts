import type { ClientName } from '../../../../shared/clients/entries.ts'

export type FilePaths = [config: string, rule: string, skill: string]

/** The files that setup writes, in the home folder of the user or in the project, by the documentation of the clients. */
export const clientPaths = {
  claude: {
    user: ['.claude.json', '.claude/rules/carrel.md', '.claude/skills/carrel-mcp/SKILL.md'],
    project: ['.mcp.json', '.claude/rules/carrel.md', '.claude/skills/carrel-mcp/SKILL.md'],
  },
  cursor: {
    user: ['.cursor/mcp.json', '.cursor/rules/carrel.mdc', '.cursor/skills/carrel-mcp/SKILL.md'],
    project: ['.cursor/mcp.json', '.cursor/rules/carrel.mdc', '.cursor/skills/carrel-mcp/SKILL.md'],
  },
  vscode: {
    user: [
      '.config/Code/User/mcp.json',
      '.config/Code/User/prompts/carrel.instructions.md',
      '.agents/skills/carrel-mcp/SKILL.md',
    ],
    project: ['.vscode/mcp.json', '.github/instructions/carrel.instructions.md', '.agents/skills/carrel-mcp/SKILL.md'],
  },
  codex: {
    user: ['.codex/config.toml', '.codex/AGENTS.md', '.agents/skills/carrel-mcp/SKILL.md'],
    project: ['.codex/config.toml', 'AGENTS.md', '.agents/skills/carrel-mcp/SKILL.md'],
  },
  opencode: {
    user: ['.config/opencode/opencode.json', '.config/opencode/AGENTS.md', '.agents/skills/carrel-mcp/SKILL.md'],
    project: ['opencode.json', 'AGENTS.md', '.agents/skills/carrel-mcp/SKILL.md'],
  },
  gemini: {
    user: ['.gemini/settings.json', '.gemini/GEMINI.md', '.agents/skills/carrel-mcp/SKILL.md'],
    project: ['.gemini/settings.json', 'GEMINI.md', '.agents/skills/carrel-mcp/SKILL.md'],
  },
  copilot: {
    user: ['.copilot/mcp-config.json', '.copilot/instructions/carrel.instructions.md', '.agents/skills/carrel-mcp/SKILL.md'],
    project: ['.github/mcp.json', '.github/instructions/carrel.instructions.md', '.agents/skills/carrel-mcp/SKILL.md'],
  },
  windsurf: {
    user: [
      '.codeium/windsurf/mcp_config.json',
      '.codeium/windsurf/memories/global_rules.md',
      '.agents/skills/carrel-mcp/SKILL.md',
    ],
  },
  zed: {
    user: ['.config/zed/settings.json', '.config/zed/AGENTS.md', '.agents/skills/carrel-mcp/SKILL.md'],
  },
} satisfies Record<ClientName, { user: FilePaths; project?: FilePaths }>

/** The files of a client in a project; undefined if it has none. */
export const projectPaths = (client: ClientName): FilePaths | undefined =>
  (clientPaths as Record<ClientName, { project?: FilePaths }>)[client].project

/** False for the files of the user, and true for those of a project if the client has any. */
export const scopesOf = (client: ClientName): boolean[] => (projectPaths(client) ? [false, true] : [false])

/** The configurations of OpenCode in a project. It merges them, and the last one wins. */
export const opencodeNames = ['opencode.json', 'opencode.jsonc', '.opencode/opencode.json', '.opencode/opencode.jsonc']
