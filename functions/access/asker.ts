import type { Context as Call } from 'hono'
import { clientOf } from '../../shared/usage/client-of.ts'
import { countryOf } from '../../shared/usage/country-of.ts'
import { type Entry, surfaceOf } from '../../shared/usage/surface.ts'
import type { Hosted } from '../hosted.ts'
import type { Asker } from '../queries/ask.ts'
import type { Caller } from './caller.ts'
import { viewerOf } from './viewer.ts'

/** Who asks in a request, and on which surface. `clientName` is what an MCP client calls itself in the protocol. */
export function askerOf({ originSecrets }: Pick<Hosted, 'originSecrets'>, c: Call, entry: Entry, clientName?: string): Asker {
  const { headers } = c.req.raw
  const caller: Caller = c.get('caller')
  const { country, address, userAgent } = viewerOf(c, originSecrets !== undefined)
  // Who asks for the head alone reads nothing.
  if (c.req.raw.method === 'HEAD') return { caller }
  return {
    caller,
    usage: {
      surface: surfaceOf(headers, entry),
      client: clientOf({ headers, entry, clientName }),
      keyId: caller.kind === 'teamspace' ? caller.keyId : caller.kind === 'license' ? caller.license.id : undefined,
      sessionId: headers.get('mcp-session-id') ?? undefined,
      address,
      userAgent,
      country: countryOf(country),
    },
  }
}
