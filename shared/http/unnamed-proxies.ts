import { BlockList } from 'node:net'
import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import type { Log } from '../log.ts'
import { isPrivateAddress } from '../network/private-address.ts'
import { isTrusted, peerAddress } from './client-address.ts'

/**
 * Peers in private networks that send client addresses without being listed in TRUSTED_PROXIES. They are probably reverse proxies, and all
 * their callers share one address and its limits.
 */
export type UnnamedProxies = {
  /** Remembers the peer of a request and logs it the first time. */
  note(c: Context): void
  list(): string[]
}

/** Bounds memory and log: anyone in a private network can send such a header. */
const maxPeers = 20

/** Shared (RFC 6598) and link-local addresses. */
const nearbyNetworks = new BlockList()
nearbyNetworks.addSubnet('100.64.0.0', 10)
nearbyNetworks.addSubnet('169.254.0.0', 16)
nearbyNetworks.addSubnet('fe80::', 10, 'ipv6')

const isNearby = (address: string): boolean => isPrivateAddress(address) || isTrusted(nearbyNetworks, address)

/** `log` must not be part of the support bundle, because a peer can be a person's machine. */
export function unnamedProxies(trustedProxies: BlockList, log: Log): UnnamedProxies {
  const peers = new Set<string>()
  return {
    note(c) {
      if (peers.size >= maxPeers || !sendsClientAddress(c)) return
      // TRUSTED_PROXIES does not accept zones.
      const [peer = ''] = peerAddress(c).split('%', 1)
      if (peers.has(peer) || isTrusted(trustedProxies, peer) || !isNearby(peer)) return
      peers.add(peer)
      log.warn({ peer }, 'a peer sends X-Forwarded-For or Forwarded; if it is a reverse proxy, add it to TRUSTED_PROXIES')
    },
    list: () => [...peers],
  }
}

export const noteUnnamedProxies = ({ unnamedProxies }: { unnamedProxies: UnnamedProxies }) =>
  createMiddleware(async (c, next) => {
    unnamedProxies.note(c)
    await next()
  })

export const unnamedProxyWarning = (peer: string): string =>
  `${peer} sends X-Forwarded-For or Forwarded, but is not in TRUSTED_PROXIES. If it is a reverse proxy, all its callers share one address and its limits: add ${peer} to TRUSTED_PROXIES, have the proxy send X-Forwarded-For, and restart the server.`

const sendsClientAddress = (c: Context): boolean =>
  c.req.header('x-forwarded-for') !== undefined || c.req.header('forwarded') !== undefined
