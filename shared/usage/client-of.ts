import { mcpClient } from './mcp-client.ts'
import { type Entry, ownHeader, type RequestHeaders } from './surface-of.ts'

export type ClientFacts = {
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
