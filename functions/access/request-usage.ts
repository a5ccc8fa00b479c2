import type { Context } from 'hono'
import { clientOf } from '../../shared/usage/client-of.ts'
import { countryOf } from '../../shared/usage/country-of.ts'
import type { RequestUsage } from '../../shared/usage/record-usage.ts'
import { type Entry, surfaceOf } from '../../shared/usage/surface-of.ts'
import type { Caller } from './caller.ts'
import { readViewer } from './viewer.ts'

type RequestUsagePorts = { originSecrets: readonly string[] | undefined }

/**
 * The usage of a request. Undefined for a HEAD request, which reads nothing. `clientName` is the name that an MCP client sends in
 * the protocol.
 */
export function requestUsage(
  { originSecrets }: RequestUsagePorts,
  c: Context,
  entry: Entry,
  clientName?: string,
): RequestUsage | undefined {
  const { headers, method } = c.req.raw
  if (method === 'HEAD') return undefined
  const caller: Caller = c.get('caller')
  const { country, address, userAgent } = readViewer(c, originSecrets !== undefined)
  return {
    surface: surfaceOf(headers, entry),
    client: clientOf({ headers, entry, clientName }),
    keyId: caller.kind === 'teamspace' ? caller.keyId : caller.kind === 'license' ? caller.license.id : undefined,
    sessionId: headers.get('mcp-session-id') ?? undefined,
    address,
    userAgent,
    country: countryOf(country),
  }
}
