import { z } from 'zod/mini'
import { entryOf, printToml, type ClientName as SetupClient, clientNames as setupClients } from '../../clients/entries.ts'
import { fetchProgram, programFile } from '../../clients/fetch-program.ts'

/** `other`: any client that speaks Streamable HTTP. */
export type ClientName = SetupClient | 'other'
export const clientNames: ClientName[] = [...setupClients, 'other']

/** The parameters in the address of the page. */
export const connectSearch = z.object({
  client: z.catch(z._default(z.enum(clientNames), 'claude'), 'claude'),
  /** The id of the library that the agent shall use; empty for all. */
  library: z.catch(z._default(z.string(), ''), ''),
})

type Client = {
  label: string
  /** Two letters that stand for a logo. */
  mark: string
  /** Its identifier in usage; undefined for any. */
  usage: string | undefined
  /** The file of the configuration: in the project, if the path is relative. Undefined if each client has another. */
  file: string | undefined
  language: 'json' | 'ini'
  configuration(url: string, key: string | undefined): string
  command?(url: string): string
  /** A link that the client opens. It never holds a key, because addresses are logged. */
  link?(url: string): string
  /** The command or menu with which the client shows the server. */
  check: string
}

const json = (section: string, entry: object): string => JSON.stringify({ [section]: { carrel: entry } }, null, 2)

/** Runs setup without an install. It asks for the key itself. Unlike a pipe, it fails if the program cannot be fetched. */
export const setupCommand = (client: ClientName, root: string): string | undefined =>
  client === 'other' ? undefined : `${fetchProgram(root)} && node ${programFile} setup --base-url ${root} --${client}`

/** The same with the package that the operator has named. */
export const packageCommand = (name: string, client: ClientName, root: string): string | undefined =>
  client === 'other' ? undefined : `npx ${name} setup --base-url ${root} --${client}`

/** The configuration of each client, as its documentation describes it. */
export const clients: Record<ClientName, Client> = {
  claude: {
    label: 'Claude Code',
    mark: 'Cl',
    usage: 'claude-code',
    file: '.mcp.json',
    language: 'json',
    configuration: (url, key) => json('mcpServers', entryOf.claude(url, key)),
    command: (url) => `claude mcp add --transport http carrel ${url}`,
    check: 'Run /mcp in Claude Code: carrel is listed as connected.',
  },
  cursor: {
    label: 'Cursor',
    mark: 'Cu',
    usage: 'cursor',
    file: '~/.cursor/mcp.json',
    language: 'json',
    configuration: (url, key) => json('mcpServers', entryOf.cursor(url, key)),
    link: (url) =>
      `cursor://anysphere.cursor-deeplink/mcp/install?name=carrel&config=${encodeURIComponent(btoa(JSON.stringify({ url })))}`,
    check: 'Open Cursor Settings → MCP: carrel has a green dot.',
  },
  vscode: {
    label: 'VS Code',
    mark: 'VS',
    usage: 'vscode',
    file: '.vscode/mcp.json',
    language: 'json',
    configuration: (url, key) => json('servers', entryOf.vscode(url, key)),
    link: (url) => `vscode:mcp/install?${encodeURIComponent(JSON.stringify({ name: 'carrel', type: 'http', url }))}`,
    check: 'Run “MCP: List Servers” from the command palette: carrel is running.',
  },
  codex: {
    label: 'Codex',
    mark: 'Cx',
    usage: 'codex',
    file: '~/.codex/config.toml',
    language: 'ini',
    configuration: (url, key) => printToml(entryOf.codex(url, key)).trimEnd(),
    check: 'Run /mcp in Codex: carrel lists four tools.',
  },
  opencode: {
    label: 'OpenCode',
    mark: 'Oc',
    usage: 'opencode',
    file: '~/.config/opencode/opencode.json',
    language: 'json',
    configuration: (url, key) => json('mcp', entryOf.opencode(url, key)),
    check: 'Run opencode mcp list: carrel is connected.',
  },
  gemini: {
    label: 'Gemini CLI',
    mark: 'Ge',
    usage: 'gemini-cli',
    file: '~/.gemini/settings.json',
    language: 'json',
    configuration: (url, key) => json('mcpServers', entryOf.gemini(url, key)),
    command: (url) => `gemini mcp add --scope user --transport http carrel ${url}`,
    check: 'Run /mcp in Gemini CLI: carrel lists four tools.',
  },
  copilot: {
    label: 'Copilot CLI',
    mark: 'Co',
    usage: 'copilot',
    file: '~/.copilot/mcp-config.json',
    language: 'json',
    configuration: (url, key) => json('mcpServers', entryOf.copilot(url, key)),
    command: (url) => `copilot mcp add --transport http carrel ${url}`,
    check: 'Run /mcp show in Copilot CLI: carrel is listed.',
  },
  windsurf: {
    label: 'Windsurf',
    mark: 'Ws',
    usage: 'windsurf',
    file: '~/.codeium/windsurf/mcp_config.json',
    language: 'json',
    configuration: (url, key) => json('mcpServers', entryOf.windsurf(url, key)),
    check: 'Open the MCP servers of Cascade and refresh them: carrel lists four tools.',
  },
  zed: {
    label: 'Zed',
    mark: 'Ze',
    usage: 'zed',
    file: '~/.config/zed/settings.json',
    language: 'json',
    configuration: (url, key) => json('context_servers', entryOf.zed(url, key)),
    check: 'Open the settings of the agent panel: carrel has a green dot.',
  },
  other: {
    label: 'Other client',
    mark: '…',
    usage: undefined,
    file: undefined,
    language: 'json',
    configuration: (url, key) => json('mcpServers', entryOf.claude(url, key)),
    check: 'Open the list of MCP servers in your client: carrel lists four tools.',
  },
}
