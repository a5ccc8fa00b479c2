import type { BlockList } from 'node:net'
import type { Context as Call } from 'hono'
import { clientOf } from '../../shared/usage/client-of.ts'
import type { AnsweredRequest } from '../../shared/usage/record-usage.ts'
import { type Entry, surfaceOf } from '../../shared/usage/surface-of.ts'
import { clientAddress } from '../accounts/client-address.ts'
import type { Caller } from './caller.ts'

/** What usage counting records about a request, besides the library that answered it. */
export type RequestUsage = Omit<AnsweredRequest, 'library' | 'version' | 'topics'>

type RequestUsagePorts = {
  /** Proxies whose client addresses are believed. */
  trustedProxies: BlockList
}

const maxUserAgentLength = 1000

/** `clientName` is the name that an MCP client sends. Undefined for HEAD requests, which are not counted because they read no content. */
export function requestUsage(
  { trustedProxies }: RequestUsagePorts,
  c: Call,
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
