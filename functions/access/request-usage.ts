import { getConnInfo } from '@hono/node-server/conninfo'
import type { Context } from 'hono'
import { networkOf } from '../../shared/http/client-address.ts'
import type { RequestUsage } from '../../shared/usage/record-usage.ts'
import { clientOf, type Entry, surfaceOf } from '../../shared/usage/surface-of.ts'
import type { Caller } from './caller.ts'

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
    // Callers choose their sessions, so a session per request would be a user per request.
    sessionId: address === '' ? (headers.get('mcp-session-id') ?? undefined) : undefined,
    address: networkOf(address),
    userAgent,
    country: countryOf(country),
  }
}

/** Facts about the user of a request. They distinguish users for one day and are never stored. */
type Viewer = { country: string | undefined; address: string; userAgent: string }

const maxUserAgentLength = 1000

/**
 * Reads headers that CloudFront and the Router's edge function set, overwriting the values of a caller. Without a Router the headers
 * are taken as sent, and the address defaults to that of the connection.
 */
const readViewer = (c: Context, behindRouter: boolean): Viewer => ({
  country: c.req.header('cloudfront-viewer-country'),
  address: viewerAddress(c, behindRouter),
  userAgent: (c.req.header('user-agent') ?? '').slice(0, maxUserAgentLength),
})

/** The address of the user; empty if it is not known. */
export const viewerAddress = (c: Context, behindRouter: boolean): string =>
  (behindRouter ? c.req.header('x-viewer-address') : sentAddress(c)) ?? ''

const sentAddress = (c: Context): string | undefined =>
  c.req.header('cloudfront-viewer-address')?.replace(/:\d+$/, '') ?? c.req.header('x-viewer-address') ?? connectionAddress(c)

function connectionAddress(c: Context): string | undefined {
  const hasConnection = typeof c.env === 'object' && c.env !== null && 'incoming' in c.env
  return hasConnection ? getConnInfo(c).remote.address : undefined
}

/** Two capitals, except codes that are not countries: user-assigned ones (apart from Kosovo's XK), continents, unknown. */
const country = /^(?!AA|AP|EU|ZZ|Q[M-Z]|X[A-JL-Z])[A-Z]{2}$/

/** The country in a viewer-country header, ISO 3166-1 alpha-2. Undefined if it names none. */
export const countryOf = (header: string | null | undefined): string | undefined =>
  header && country.test(header) ? header : undefined
