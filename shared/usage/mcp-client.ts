/** Identifiers of MCP clients, with the other names that each client uses, normalized by `fold`. */
const clients: Record<string, string[]> = {
  'amazon-q': ['q-dev-cli', 'amazon-q-developer-cli'],
  amp: ['amp-mcp-client', 'ampcode'],
  antigravity: ['antigravity-client', 'google-antigravity'],
  augment: ['augment-code', 'augment-mcp-client', 'auggie'],
  chatgpt: ['openai-mcp'],
  'cherry-studio': [],
  'claude-ai': ['claude', 'claude-user', 'anthropic', 'anthropic-claudeai'],
  'claude-code': ['claudecode', 'claude-code-cli'],
  'claude-desktop': [],
  cline: ['cline-core'],
  codex: ['codex-mcp-client', 'codex-cli', 'codex-cli-rs', 'openai-codex'],
  continue: ['continue-client', 'continue-cli-client', 'continue-dev'],
  copilot: ['github-copilot', 'github-copilot-developer', 'github-copilot-cli', 'copilot-cli', 'xcode-copilot-xcode'],
  crush: [],
  cursor: ['cursor-vscode', 'cursor-agent', 'cursor-cli'],
  devin: [],
  factory: ['factory-cli', 'droid'],
  'fast-agent': ['fast-agent-mcp'],
  'gemini-cli': ['gemini-cli-mcp-client'],
  goose: ['goose-cli', 'goose-desktop'],
  jan: ['jan-streamable-client'],
  jetbrains: ['junie'],
  'kilo-code': ['kilo', 'kilocode'],
  kiro: ['kiro-cli', 'kiro-ide'],
  librechat: ['librechat-api-client'],
  'lm-studio': ['lmstudio', 'lmstudio-mcp-bridge'],
  lobehub: ['lobehub-mcp-client'],
  'mcp-inspector': ['inspector-client'],
  mistral: ['le-chat'],
  n8n: ['n8n-n8n-nodes-langchain-mcpclienttool'],
  opencode: ['opencode-cli'],
  postman: ['postman-client'],
  'qwen-code': ['qwen-code-mcp-client'],
  raycast: ['com-raycast-macos'],
  'roo-code': ['roo', 'roo-cline'],
  trae: [],
  vscode: ['visual-studio-code', 'vs-code', 'vscodium', 'code-oss'],
  warp: ['warp-terminal'],
  windsurf: ['windsurf-client', 'windsurf-editor'],
  zed: ['zed-editor'],
  unknown: [],
}

/** Prefixes of names that end with an edition, a product or a server name. */
const families: [prefix: string, client: string][] = [
  ['gemini-cli-mcp-client-', 'gemini-cli'],
  ['jetbrains-', 'jetbrains'],
  ['visual-studio-code-', 'vscode'],
]

const byName = new Map(Object.entries(clients).flatMap(([client, names]) => [client, ...names].map((name) => [name, client])))

const maxNameChars = 100

/** The identifier of an MCP client by its name: one of a fixed list, `other`, or `unknown` without a name. */
export function mcpClient(name: string): string {
  if (name.length > maxNameChars) return 'other'
  const folded = fold(name)
  if (folded === '') return /\S/.test(name) ? 'other' : 'unknown'
  return byName.get(folded) ?? families.find(([prefix]) => folded.startsWith(prefix))?.[1] ?? 'other'
}

/** Removes the suffix that bridges add: `claude-ai (via mcp-remote 0.1.37)`. */
const fold = (name: string): string =>
  name
    .replace(/\(via .*/is, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
