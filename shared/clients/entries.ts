/** The name of the server in the configuration of every client. */
export const entryName = 'carrel'

/** The section of Codex's configuration. */
export const tomlSection = 'mcp_servers'

type KeyHeaders = { Authorization: string }
export type Headers = { headers?: KeyHeaders; http_headers?: KeyHeaders }
/** The properties that hold the address, of which each client reads one. The first one that is set wins. */
export const addressNames = ['httpUrl', 'serverUrl', 'url'] as const
export type AddressName = (typeof addressNames)[number]
/** The properties of a server that a client needs. */
export type Entry = { [name in AddressName]?: string } & { type?: string; enabled?: boolean; tools?: string[] } & Headers

const authorization = (key: string) => ({ Authorization: `Bearer ${key}` })
const withKey = (key: string | undefined): Headers => (key === undefined ? {} : { headers: authorization(key) })

/** The entry that each client needs for the server at `url`, which ends in `/mcp`. */
export const entryOf = {
  claude: (url: string, key?: string): Entry => ({ type: 'http', url, ...withKey(key) }),
  cursor: (url: string, key?: string): Entry => ({ url, ...withKey(key) }),
  vscode: (url: string, key?: string): Entry => ({ type: 'http', url, ...withKey(key) }),
  codex: (url: string, key?: string): Entry => ({
    type: 'http',
    url,
    ...(key !== undefined && { http_headers: authorization(key) }),
  }),
  opencode: (url: string, key?: string): Entry => ({ type: 'remote', url, enabled: true, ...withKey(key) }),
  gemini: (url: string, key?: string): Entry => ({ httpUrl: url, ...withKey(key) }),
  copilot: (url: string, key?: string): Entry => ({ type: 'http', url, tools: ['*'], ...withKey(key) }),
  windsurf: (url: string, key?: string): Entry => ({ serverUrl: url, ...withKey(key) }),
  zed: (url: string, key?: string): Entry => ({ url, ...withKey(key) }),
}

/** The clients that setup configures. */
export type ClientName = keyof typeof entryOf
export const clientNames = Object.keys(entryOf) as ClientName[]

/** The entry of Codex as tables, as a person writes them. */
export function printToml({ type = '', url = '', http_headers }: Entry): string {
  const lines = [`[${tomlSection}.${entryName}]`, `type = ${JSON.stringify(type)}`, `url = ${JSON.stringify(url)}`]
  if (http_headers) {
    lines.push('', `[${tomlSection}.${entryName}.http_headers]`)
    lines.push(`Authorization = ${JSON.stringify(http_headers.Authorization)}`)
  }
  return lines.map((line) => `${line}\n`).join('')
}
