import { type BlockList, isIP } from 'node:net'
import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'
import { isTrusted } from './trusted-proxies.ts'

/**
 * The address of the client: the last one of X-Forwarded-For that is not a trusted proxy, if the connection comes from a trusted proxy, else
 * the other end of the connection. Clients can write into the header, each proxy appends to it.
 */
export function clientAddress(c: Context, proxies: BlockList): string {
  let client = peerOf(c)
  for (const hop of (c.req.header('x-forwarded-for') ?? '').split(',').reverse()) {
    const address = unmapped(withoutPort(hop.trim()))
    if (!isTrusted(proxies, client) || isIP(address) === 0) break
    client = address
  }
  return blockOf(client)
}

/** The other end of the connection, if it is a trusted proxy that sent an address of its client. */
export function proxyAddress(c: Context, proxies: BlockList): string | undefined {
  const peer = peerOf(c)
  return isTrusted(proxies, peer) && c.req.header('x-forwarded-for') !== undefined ? peer : undefined
}

/** The other end of the connection. */
export function peerOf(c: Context): string {
  const { incoming } = (c.env ?? {}) as Partial<HttpBindings>
  return unmapped(incoming?.socket.remoteAddress ?? 'unknown')
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

/** Some proxies write the port too: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
const withoutPort = (address: string): string =>
  /^\[([^\]]+)\](?::\d+)?$/.exec(address)?.[1] ?? address.replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1')

/** A /56 network of IPv6 is one caller: providers give each customer 256 networks of 2⁶⁴ addresses. */
function blockOf(address: string): string {
  const canonical = isIP(address) === 6 ? URL.parse(`http://[${address.split('%', 1)[0]}]/`)?.hostname.slice(1, -1) : undefined
  if (canonical === undefined) return address
  const [before, after] = canonical.split('::').map((half) => half.split(':').filter((group) => group !== ''))
  const zeros = Array<string>(8 - (before?.length ?? 0) - (after?.length ?? 0)).fill('0')
  const [first, second, third, fourth = ''] = [...(before ?? []), ...zeros, ...(after ?? [])]
  return [first, second, third, (Number.parseInt(fourth, 16) & 0xff00).toString(16)].join(':')
}
