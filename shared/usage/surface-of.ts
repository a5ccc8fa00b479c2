import type { Surface } from './usage-event.ts'

/** Where a request came in: at `/mcp`, or at any other route. */
export type Entry = 'http' | 'mcp'

export type RequestHeaders = Pick<Headers, 'get'>

const bySource = new Map<string, Surface>([
  ['web', 'page'],
  ['mcp-server', 'mcp'],
  ['mcp', 'mcp'],
  ['cli', 'cli'],
])

/** Who asked: one of our pages, an MCP client, the command line, or else a program that wants text. */
export function surfaceOf(headers: RequestHeaders, entry: Entry): Surface {
  if (entry === 'mcp') return 'mcp'
  return bySource.get(ownHeader(headers, 'source').trim().toLowerCase()) ?? 'txt'
}

/** `x-carrel-<name>`, or `x-context7-<name>`, which means the same; empty where there is neither. */
export const ownHeader = (headers: RequestHeaders, name: string): string =>
  headers.get(`x-carrel-${name}`) || headers.get(`x-context7-${name}`) || ''
