import { z } from 'zod/mini'
import { type Entry, entryOf, printToml } from '../../clients/entries.ts'
import { fetchProgram, programFile } from '../../clients/fetch-program.ts'

export const clientNames = ['claude', 'cursor', 'vscode', 'codex', 'opencode'] as const
export type ClientName = (typeof clientNames)[number]

/** The parameters in the address of the page. */
export const connectSearch = z.object({
  client: z.catch(z._default(z.enum(clientNames), 'claude'), 'claude'),
  /** The id of the library that the agent shall use; empty for all. */
  library: z.catch(z._default(z.string(), ''), ''),
})

type Client = {
  label: string
  /** The file of the configuration: in the project, if the path is relative. */
  file: string
  language: 'json' | 'ini'
  configuration(url: string, key: string | undefined): string
  command?(url: string): string
  /** A link that the client opens. It never holds a key, because addresses are logged. */
  link?(url: string): string
  /** The command or menu with which the client shows the server. */
  check: string
}

const json = (section: string, entry: Entry): string => JSON.stringify({ [section]: { carrel: entry } }, null, 2)

/** Runs setup without an install. It asks for the key itself. Unlike a pipe, it fails if the program cannot be fetched. */
export const setupCommand = (client: ClientName, root: string): string =>
  `${fetchProgram(root)} && node ${programFile} setup --base-url ${root} --${client}`

/** The same with the package that the operator has named. */
export const packageCommand = (name: string, client: ClientName, root: string): string =>
  `npx ${name} setup --base-url ${root} --${client}`

/** The configuration of each client, as its documentation describes it. */
export const clients: Record<ClientName, Client> = {
  claude: {
    label: 'Claude Code',
    file: '.mcp.json',
    language: 'json',
    configuration: (url, key) => json('mcpServers', entryOf.claude(url, key)),
    command: (url) => `claude mcp add --transport http carrel ${url}`,
    check: 'Run /mcp in Claude Code: carrel is listed as connected.',
  },
  cursor: {
    label: 'Cursor',
    file: '~/.cursor/mcp.json',
    language: 'json',
    configuration: (url, key) => json('mcpServers', entryOf.cursor(url, key)),
    link: (url) =>
      `cursor://anysphere.cursor-deeplink/mcp/install?name=carrel&config=${encodeURIComponent(btoa(JSON.stringify({ url })))}`,
    check: 'Open Cursor Settings → MCP: carrel has a green dot.',
  },
  vscode: {
    label: 'VS Code',
    file: '.vscode/mcp.json',
    language: 'json',
    configuration: (url, key) => json('servers', entryOf.vscode(url, key)),
    link: (url) => `vscode:mcp/install?${encodeURIComponent(JSON.stringify({ name: 'carrel', type: 'http', url }))}`,
    check: 'Run “MCP: List Servers” from the command palette: carrel is running.',
  },
  codex: {
    label: 'Codex',
    file: '~/.codex/config.toml',
    language: 'ini',
    configuration: (url, key) => printToml(entryOf.codex(url, key)).trimEnd(),
    check: 'Run /mcp in Codex: carrel lists four tools.',
  },
  opencode: {
    label: 'OpenCode',
    file: '~/.config/opencode/opencode.json',
    language: 'json',
    configuration: (url, key) => json('mcp', entryOf.opencode(url, key)),
    check: 'Run opencode mcp list: carrel is connected.',
  },
}
