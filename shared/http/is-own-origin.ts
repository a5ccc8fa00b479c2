import type { Context } from 'hono'
import type { PublicUrl } from '../schemas/public-url.ts'
import { isLoopbackHostHeader } from './loopback-only.ts'

/**
 * True if an origin is this server: the origin of PUBLIC_URL, or, in a direct request to this machine, its host. Without
 * PUBLIC_URL it is the host that the browser uses and, if a proxy sends it, the scheme.
 */
export function isOwnOrigin(c: Context, origin: string, publicUrl: PublicUrl | undefined): boolean {
  if (origin === publicUrl?.origin) return true
  const host = c.req.header('host') ?? ''
  if (publicUrl && (isForwarded(c) || !isLoopbackHostHeader(host))) return false
  const page = URL.parse(origin)
  const proto = forwardedProto(c)
  if (page === null || page.username + page.password !== '' || (proto !== undefined && page.protocol !== `${proto}:`))
    return false
  return /^https?:$/.test(page.protocol) && URL.parse(`${page.protocol}//${host}`)?.host === page.host
}

/** True if the browser uses TLS, as far as this server or its proxy knows. */
export const isSecure = (c: Context): boolean => (forwardedProto(c) ?? new URL(c.req.url).protocol.slice(0, -1)) === 'https'

/** True if a reverse proxy forwards the request and says so. */
export const isForwarded = (c: Context): boolean => proxyHeaders.some((name) => c.req.header(name) !== undefined)

const proxyHeaders = ['forwarded', 'x-forwarded-for', 'x-forwarded-proto', 'x-forwarded-host', 'x-real-ip', 'via']

const forwardedProto = (c: Context): string | undefined => first(c.req.header('x-forwarded-proto'))?.toLowerCase()

const first = (list: string | undefined): string | undefined => list?.split(',', 1)[0]?.trim() || undefined
