import { BlockList, isIP } from 'node:net'
import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'
import { z } from 'zod'
import { excerpt } from '../text/excerpt.ts'
import { readSubnet } from './subnet.ts'

const rule = 'must be addresses or networks such as 10.0.0.0/8 or fd00::/8, separated by commas'

/** The proxies whose X-Forwarded-For header is trusted. */
export const TrustedProxies = z
  .string()
  .default('127.0.0.0/8, ::1')
  .transform((text, context) => {
    const list = new BlockList()
    for (const entry of text.split(',').map((each) => each.trim())) {
      const subnet = readSubnet(entry)
      if (!subnet) {
        context.addIssue({ code: 'custom', message: `${rule}; "${excerpt(entry)}" is neither` })
        return z.NEVER
      }
      list.addSubnet(...subnet)
    }
    return list
  })

export function isTrusted(proxies: BlockList, address: string): boolean {
  const family = isIP(address)
  return family !== 0 && proxies.check(address, family === 6 ? 'ipv6' : 'ipv4')
}

/**
 * The address of the client: the last entry of X-Forwarded-For that is not a trusted proxy, if a trusted proxy opened the connection; else
 * the peer. Clients can forge the header, but each proxy appends to it.
 */
export const clientAddress = (c: Context, proxies: BlockList): string => networkOf(fullClientAddress(c, proxies))

/** `clientAddress`, of which no part is left out for IPv6. */
export function fullClientAddress(c: Context, proxies: BlockList): string {
  let client = peerAddress(c)
  for (const hop of (c.req.header('x-forwarded-for') ?? '').split(',').reverse()) {
    const address = unmapped(withoutPort(hop.trim()))
    if (!isTrusted(proxies, client) || isIP(address) === 0) break
    client = address
  }
  return client
}

/** The peer, if it is a trusted proxy that sent the address of its client. */
export function proxyAddress(c: Context, proxies: BlockList): string | undefined {
  const peer = peerAddress(c)
  return isTrusted(proxies, peer) && c.req.header('x-forwarded-for') !== undefined ? peer : undefined
}

/** The other end of the connection. */
export function peerAddress(c: Context): string {
  const { incoming } = (c.env ?? {}) as Partial<HttpBindings>
  return unmapped(incoming?.socket.remoteAddress ?? 'unknown')
}

/** Sockets for both families report IPv4 addresses as `::ffff:…`. */
const unmapped = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, '')

/** Some proxies write the port too: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
const withoutPort = (address: string): string =>
  /^\[([^\]]+)\](?::\d+)?$/.exec(address)?.[1] ?? address.replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1')

/** The part of an address that is one client. It is an IPv6 /56 network: providers assign each customer 256 networks of 2⁶⁴ addresses. */
export function networkOf(address: string): string {
  const canonical = isIP(address) === 6 ? URL.parse(`http://[${address.split('%', 1)[0]}]/`)?.hostname.slice(1, -1) : undefined
  if (canonical === undefined) return address
  const [before, after] = canonical.split('::').map((half) => half.split(':').filter((group) => group !== ''))
  const zeros = Array<string>(8 - (before?.length ?? 0) - (after?.length ?? 0)).fill('0')
  const [first, second, third, fourth = ''] = [...(before ?? []), ...zeros, ...(after ?? [])]
  return [first, second, third, (Number.parseInt(fourth, 16) & 0xff00).toString(16)].join(':')
}
