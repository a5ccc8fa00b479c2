import { mcpClient } from './mcp-client.ts'
import type { Surface } from './usage-event.ts'

/** The entry point of a request: `/mcp`, or any other route. */
export type Entry = 'http' | 'mcp'

type RequestHeaders = Pick<Headers, 'get'>

const bySource = new Map<string, Surface>([
  ['web', 'page'],
  ['mcp-server', 'mcp'],
  ['mcp', 'mcp'],
  ['cli', 'cli'],
])

/** The surface of a request: one of our pages, an MCP client, the command line, or by default a program that reads text. */
export function surfaceOf(headers: RequestHeaders, entry: Entry): Surface {
  if (entry === 'mcp') return 'mcp'
  return bySource.get(ownHeader(headers, 'source').trim().toLowerCase()) ?? 'txt'
}

/** `x-carrel-<name>`, or its alias `x-context7-<name>`. Empty if neither is set. */
const ownHeader = (headers: RequestHeaders, name: string): string =>
  headers.get(`x-carrel-${name}`) || headers.get(`x-context7-${name}`) || ''

type ClientFacts = {
  headers: RequestHeaders
  entry: Entry
  /** The name in the request's `_meta` clientInfo. */
  clientName?: string
}

/** The identifier of the client, from the MCP protocol, our headers or, on `/mcp`, its User-Agent. */
export function clientOf({ headers, entry, clientName }: ClientFacts): string {
  return mcpClient(clientName || ownHeader(headers, 'client-ide') || (entry === 'mcp' ? product(headers) : ''))
}

const product = (headers: RequestHeaders): string => headers.get('user-agent')?.split('/', 1)[0] ?? ''
