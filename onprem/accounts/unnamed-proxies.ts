import { BlockList } from 'node:net'
import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import type { Log } from '../../shared/log.ts'
import { isPrivateAddress } from '../../shared/network/private-address.ts'
import { peerOf } from './client-address.ts'
import { isTrusted } from './trusted-proxies.ts'

/**
 * Peers in private networks that send addresses of clients although TRUSTED_PROXIES does not name them. They are likely reverse proxies,
 * whose callers then all share one address and its limits.
 */
export type UnnamedProxies = {
  /** Remembers the peer of a request, and logs it the first time. */
  note(c: Context): void
  list(): string[]
}

/** Anyone in a private network can send such a header, so neither the memory nor the log may grow with them. */
const maxPeers = 20

/** Shared (RFC 6598) and link-local addresses. */
const nearbyNetworks = new BlockList()
nearbyNetworks.addSubnet('100.64.0.0', 10)
nearbyNetworks.addSubnet('169.254.0.0', 16)
nearbyNetworks.addSubnet('fe80::', 10, 'ipv6')

const isNearby = (address: string): boolean => isPrivateAddress(address) || isTrusted(nearbyNetworks, address)

/** `log` must not be one that the support bundle holds: a peer can be the machine of a person. */
export function unnamedProxies(trustedProxies: BlockList, log: Log): UnnamedProxies {
  const peers = new Set<string>()
  return {
    note(c) {
      if (peers.size >= maxPeers || !namesClient(c)) return
      // The setting takes no zones.
      const [peer = ''] = peerOf(c).split('%', 1)
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
  `${peer} sends X-Forwarded-For or Forwarded, but TRUSTED_PROXIES does not name it. If it is a reverse proxy, all its callers share one address and its limits: add ${peer} to TRUSTED_PROXIES, have the proxy send X-Forwarded-For, and restart the server.`

const namesClient = (c: Context): boolean =>
  c.req.header('x-forwarded-for') !== undefined || c.req.header('forwarded') !== undefined
