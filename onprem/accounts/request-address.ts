import { BlockList, isIP } from 'node:net'
import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'

/** Where a proxy of the operator stands: on this machine or in a network of their own. */
const near = new BlockList()
near.addSubnet('127.0.0.0', 8)
near.addSubnet('10.0.0.0', 8)
near.addSubnet('172.16.0.0', 12)
near.addSubnet('192.168.0.0', 16)
near.addAddress('::1', 'ipv6')
near.addSubnet('fc00::', 7, 'ipv6')
near.addSubnet('fe80::', 10, 'ipv6')

/**
 * Who is at the other end of the connection, and whom a proxy there says it asks for: the last address of X-Forwarded-For, which the
 * nearest proxy has written. From farther away the header may be anybody's, so it does not count.
 */
export function addressesOf(c: Context): { peer: string; client: string } {
  const { incoming } = (c.env ?? {}) as Partial<HttpBindings>
  const peer = unmapped(incoming?.socket.remoteAddress ?? 'unknown')
  const forwarded = unmapped(c.req.header('x-forwarded-for')?.split(',').at(-1)?.trim() ?? '')
  return { peer, client: isNear(peer) && isIP(forwarded) !== 0 ? blockOf(forwarded) : blockOf(peer) }
}

/** Whether the browser speaks TLS, as far as this server or its proxy can tell. */
export const isSecure = (c: Context): boolean => (forwardedProto(c) ?? new URL(c.req.url).protocol.slice(0, -1)) === 'https'

/** Whether a page that sent a request came from this server: by the name that the browser knows it under, and by the scheme where a proxy tells it. */
export function isOwnOrigin(c: Context, origin: string): boolean {
  const page = URL.parse(origin)
  const host = first(c.req.header('x-forwarded-host')) ?? c.req.header('host')
  const proto = forwardedProto(c)
  if (page === null || host === undefined || (proto !== undefined && page.protocol !== `${proto}:`)) return false
  return /^https?:$/.test(page.protocol) && URL.parse(`${page.protocol}//${host}`)?.host === page.host
}

/** IPv4 as a socket of both families tells it. */
const unmapped = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, '')

const forwardedProto = (c: Context): string | undefined => first(c.req.header('x-forwarded-proto'))?.toLowerCase()

const first = (list: string | undefined): string | undefined => list?.split(',', 1)[0]?.trim() || undefined

function isNear(address: string): boolean {
  const family = isIP(address)
  return family !== 0 && near.check(address, family === 6 ? 'ipv6' : 'ipv4')
}

/** A network of IPv6 is one caller: its holder has 2⁶⁴ addresses. */
function blockOf(address: string): string {
  const canonical = isIP(address) === 6 ? URL.parse(`http://[${address.split('%', 1)[0]}]/`)?.hostname.slice(1, -1) : undefined
  if (canonical === undefined) return address
  const [before, after] = canonical.split('::').map((half) => half.split(':').filter((group) => group !== ''))
  const zeros = Array<string>(8 - (before?.length ?? 0) - (after?.length ?? 0)).fill('0')
  return [...(before ?? []), ...zeros, ...(after ?? [])].slice(0, 4).join(':')
}
