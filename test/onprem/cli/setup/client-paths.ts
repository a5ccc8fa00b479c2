import type { ClientName } from '../../../../onprem/cli/setup/clients.ts'

export type FilePaths = [config: string, rule: string, skill: string]

/** The files that setup writes, in the home folder of the user or in the project, by the documentation of the clients. */
export const clientPaths: Record<ClientName, { user: FilePaths; project: FilePaths }> = {
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
}

/** The configurations of OpenCode in a project. It merges them, and the last one wins. */
export const opencodeNames = ['opencode.json', 'opencode.jsonc', '.opencode/opencode.json', '.opencode/opencode.jsonc']
