import type { BlockList } from 'node:net'
import type { Context } from 'hono'
import { clientAddress } from '../../shared/http/client-address.ts'
import type { RequestUsage } from '../../shared/usage/record-usage.ts'
import { clientOf, type Entry, surfaceOf } from '../../shared/usage/surface-of.ts'
import type { Caller } from './caller.ts'

type RequestUsagePorts = {
  /** The proxies whose X-Forwarded-For header is trusted. */
  trustedProxies: BlockList
}

const maxUserAgentLength = 1000

/**
 * The usage of a request. Undefined for a HEAD request, which reads nothing. `clientName` is the name that an MCP client sends in
 * the protocol.
 */
export function requestUsage(
  { trustedProxies }: RequestUsagePorts,
  c: Context,
  entry: Entry,
  clientName?: string,
): RequestUsage | undefined {
  const { headers, method } = c.req.raw
  if (method === 'HEAD') return undefined
  const caller: Caller = c.get('caller')
  return {
    surface: surfaceOf(headers, entry),
    client: clientOf({ headers, entry, clientName }),
    keyId: caller.holder?.id,
    sessionId: headers.get('mcp-session-id') ?? undefined,
    address: clientAddress(c, trustedProxies),
    userAgent: (headers.get('user-agent') ?? '').slice(0, maxUserAgentLength),
  }
}
