/** The name of the server in the configuration of every client. */
export const entryName = 'carrel'

/** The section of Codex's configuration. */
export const tomlSection = 'mcp_servers'

type KeyHeaders = { Authorization: string }
export type Headers = { headers?: KeyHeaders; http_headers?: KeyHeaders }
/** The properties of a server that a client needs. */
export type Entry = { url: string; type?: string; enabled?: boolean } & Headers

const authorization = (key: string) => ({ Authorization: `Bearer ${key}` })
const withKey = (key: string | undefined): Headers => (key === undefined ? {} : { headers: authorization(key) })

/** The entry that each client needs for the server at `url`, which ends in `/mcp`. */
export const entryOf = {
  claude: (url: string, key?: string): Entry => ({ type: 'http', url, ...withKey(key) }),
  cursor: (url: string, key?: string): Entry => ({ url, ...withKey(key) }),
  vscode: (url: string, key?: string): Entry => ({ type: 'http', url, ...withKey(key) }),
  opencode: (url: string, key?: string): Entry => ({ type: 'remote', url, enabled: true, ...withKey(key) }),
  codex: (url: string, key?: string): Entry => ({
    type: 'http',
    url,
    ...(key !== undefined && { http_headers: authorization(key) }),
  }),
}

/** The entry of Codex as tables, as a person writes them. */
export function printToml({ type = '', url, http_headers }: Entry): string {
  const lines = [`[${tomlSection}.${entryName}]`, `type = ${JSON.stringify(type)}`, `url = ${JSON.stringify(url)}`]
  if (http_headers) {
    lines.push('', `[${tomlSection}.${entryName}.http_headers]`)
    lines.push(`Authorization = ${JSON.stringify(http_headers.Authorization)}`)
  }
  return lines.map((line) => `${line}\n`).join('')
}
