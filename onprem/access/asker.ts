import type { Context as Call } from 'hono'
import { clientOf } from '../../shared/usage/client-of.ts'
import type { AnsweredRequest } from '../../shared/usage/record-usage.ts'
import { type Entry, surfaceOf } from '../../shared/usage/surface.ts'
import { clientAddress } from '../accounts/request-address.ts'
import type { App } from '../app.ts'
import type { Caller } from './caller.ts'

/** How a request looked: what usage counts of it beside its answer. */
export type Asker = Omit<AnsweredRequest, 'library' | 'version' | 'topics'>

const maxUserAgentLength = 1000

/** Who asks, on which surface; `clientName` is what an MCP client calls itself. Undefined for the head alone, in which nothing is read. */
export function askerOf(
  { trustedProxies }: Pick<App, 'trustedProxies'>,
  c: Call,
  entry: Entry,
  clientName?: string,
): Asker | undefined {
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
