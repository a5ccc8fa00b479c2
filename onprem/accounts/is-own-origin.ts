import type { Context } from 'hono'

/** Whether an origin is this server, by the host that the browser uses and, if a proxy sends it, by the scheme. */
export function isOwnOrigin(c: Context, origin: string): boolean {
  const page = URL.parse(origin)
  const host = first(c.req.header('x-forwarded-host')) ?? c.req.header('host')
  const proto = forwardedProto(c)
  if (page === null || host === undefined || (proto !== undefined && page.protocol !== `${proto}:`)) return false
  return /^https?:$/.test(page.protocol) && URL.parse(`${page.protocol}//${host}`)?.host === page.host
}

/** Whether the browser uses TLS, as far as this server or its proxy knows. */
export const isSecure = (c: Context): boolean => (forwardedProto(c) ?? new URL(c.req.url).protocol.slice(0, -1)) === 'https'

const forwardedProto = (c: Context): string | undefined => first(c.req.header('x-forwarded-proto'))?.toLowerCase()

const first = (list: string | undefined): string | undefined => list?.split(',', 1)[0]?.trim() || undefined
