import type { AddressName, ClientName } from '../../../../shared/clients/entries.ts'

type JsonClient = Exclude<ClientName, 'codex'>
const section: Record<JsonClient, string> = {
  claude: 'mcpServers',
  cursor: 'mcpServers',
  vscode: 'servers',
  opencode: 'mcp',
  gemini: 'mcpServers',
  copilot: 'mcpServers',
  windsurf: 'mcpServers',
  zed: 'context_servers',
}

/** Configuration files of users, by what is special about them. */
const json = (name: string): Record<string, string> => ({
  'an empty file': '',
  'a blank file': '\n\n',
  'an empty object': '{}',
  'an empty object on two lines': '{\n}\n',
  'only a comment': '// nothing yet\n',
  'other settings': '{\n  "theme": "dark",\n  "list": [1, 2, { "a": null }]\n}\n',
  'comments and trailing commas': `{\n  // first\n  "theme": "dark", /* second */\n  "${name}": {\n    "other": {\n      "command": "run", // third\n    },\n    // last\n  },\n}\n`,
  'a comment after the last server': `{\n  "${name}": {\n    "other": { "command": "run" } // mine\n  }\n}\n`,
  'a comment before a section that ends with the file': `{ // mine\n  "${name}": {} }\n`,
  'an empty section with a comment': `{\n  "${name}": {\n    // none yet\n  }\n}\n`,
  'tabs and no final newline': `{\n\t"${name}": {\n\t\t"other": {\n\t\t\t"command": "run"\n\t\t}\n\t}\n}`,
  'four spaces': `{\n    "${name}": {\n        "other": {}\n    }\n}\n`,
  'CRLF line ends': `{\r\n  "theme": "dark",\r\n  "${name}": {\r\n    "other": {}\r\n  }\r\n}\r\n`,
  'a byte order mark': `\uFEFF{\n  "theme": "dark"\n}\n`,
  'one line': `{"theme":"dark","${name}":{"other":{"command":"run"}}}`,
  'one line with spaces': `{ "theme": "dark", "${name}": { "other": { "command": "run" } } }\n`,
  'another server of the same name': `{\n  "${name}": {\n    "carrel": { "command": "carrel-the-editor", "args": ["x"] },\n    "other": {}\n  }\n}\n`,
  'an entry of Context7': `{\n  "${name}": {\n    "context7": { "url": "https://c.example/mcp", "headers": { "Authorization": "Bearer theirs" } }\n  }\n}\n`,
  'unusual names': `{\n  "a\\"b": 1,\n  "__proto__x": { "toString": 1 },\n  "${name}": { "ü 🦉": {} }\n}\n`,
})

const toml: Record<string, string> = {
  'an empty file': '',
  'a blank file': '\n\n',
  'only a comment': '# nothing yet\n',
  'other settings': 'model = "o9" # best\nlimit = 9223372036854775807\nsince = 1979-05-27T07:32:00Z\n\n[tui]\ntheme = "dark"\n',
  'no final newline': 'model = "o9"',
  'other servers': '[mcp_servers.other]\ncommand = "run" # mine\n\n[mcp_servers.other.env]\nA = "b"\n\n[tui]\nx = 1\n\n\n',
  'an inline table': 'mcp_servers = { other = { command = "run" } } # all of them\nmodel = "o9"\n',
  'an empty inline table': 'mcp_servers = {}\n',
  'an inline table with our name': 'mcp_servers = { carrel = { command = "x" }, other = { command = "run" } }\n',
  'dotted keys': 'mcp_servers.other.command = "run"\nmcp_servers.other.args = ["a",\n  "b"]\n',
  'dotted keys with our name': '[mcp_servers]\ncarrel.command = "x"\ncarrel.args = ["a",\n  "b"] # why\nother.command = "run"\n',
  'quoted keys': '["mcp_servers"."carrel"]\ncommand = "x"\n\n[mcp_servers."other one"]\ncommand = "run"\n',
  'another server of the same name': '[mcp_servers.carrel]\ncommand = "x"\n\n[tui]\nx = 1\n\n[mcp_servers.carrel.env]\nA = "b"\n',
  'an entry of Context7': '[mcp_servers.context7]\nurl = "https://c.example/mcp"\n',
  'a string that looks like a table': 'text = """\n[mcp_servers.carrel]\n"""\n',
  'CRLF line ends': 'model = "o9"\r\n\r\n[tui]\r\nx = 1\r\n',
  'a byte order mark': '\uFEFFmodel = "o9"\n',
}

/** Files that setup must leave alone, with the reason that it gives. */
const brokenJson = (name: string): Record<string, [string, string]> => ({
  'broken JSON': ['{\n  "a": 1,,\n}\n', 'is not valid JSON (line 2'],
  'a truncated file': [`{ "${name}": {`, 'is not valid JSON (line 1'],
  'a list': ['[]\n', 'does not hold a JSON object'],
  'a section that is no object': [`{ "${name}": [] }\n`, `has a "${name}" that is not an object`],
  'lists in lists': [`{ "${name}": { "other": ${'['.repeat(20_000)}${']'.repeat(20_000)} } }\n`, 'is nested too deeply'],
  'a section twice': [`{ "${name}": {}, "${name}": { "a": {} } }\n`, `has "${name}" twice`],
})

const brokenToml: Record<string, [string, string]> = {
  'broken TOML': ['a = 1\nb = \n', 'is not valid TOML (line '],
  'lists in lists': [`a = ${'['.repeat(20_000)}${']'.repeat(20_000)}\n`, 'is not valid TOML'],
  'a list of tables': ['[[mcp_servers]]\nname = "x"\n', 'has a "mcp_servers" that is not a table'],
  'a section that is no table': ['mcp_servers = 3\n', 'has a "mcp_servers" that is not a table'],
  'our name by dotted keys in an inline table': ['mcp_servers = { carrel.url = "x" }\n', 'has carrel with dotted keys'],
}

const table = <T>(ofJson: (name: string) => Record<string, T>, ofToml: Record<string, T>): [ClientName, string, T][] => {
  const jsonClients = Object.keys(section) as JsonClient[]
  const rows = jsonClients.flatMap((client) =>
    Object.entries(ofJson(section[client])).map(([what, value]) => [client, what, value] as const),
  )
  return [...rows, ...Object.entries(ofToml).map(([what, value]) => ['codex', what, value] as const)] as [ClientName, string, T][]
}

export const usableFiles = table(json, toml)
export const unusableFiles = table(brokenJson, brokenToml)

/** The property of an entry in which each client reads the address. */
export const addressName = (client: ClientName): AddressName =>
  client === 'gemini' ? 'httpUrl' : client === 'windsurf' ? 'serverUrl' : 'url'

/** The entry that each client must find, by the documentation of its configuration. */
export const expectedEntry = (client: ClientName, url: string, key: string | undefined): Record<string, unknown> => {
  const headers =
    key === undefined ? {} : { [client === 'codex' ? 'http_headers' : 'headers']: { Authorization: `Bearer ${key}` } }
  if (['cursor', 'gemini', 'windsurf', 'zed'].includes(client)) return { [addressName(client)]: url, ...headers }
  if (client === 'copilot') return { type: 'http', url, tools: ['*'], ...headers }
  if (client === 'opencode') return { type: 'remote', url, enabled: true, ...headers }
  return { type: 'http', url, ...headers }
}
export const sectionOf = (client: ClientName): string => (client === 'codex' ? 'mcp_servers' : section[client])
