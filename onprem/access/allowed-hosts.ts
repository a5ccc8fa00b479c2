import { isIP } from 'node:net'
import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import { AppError } from '../../shared/errors.ts'
import { isLoopbackHostHeader } from '../../shared/http/loopback-only.ts'
import type { PublicUrl } from '../../shared/schemas/public-url.ts'
import type { Actor } from '../accounts/audit-log.ts'
import type { KnownHosts } from '../accounts/known-hosts.ts'
import type { CallerEnv } from './caller.ts'

export type AddressPorts = {
  /** True if only this machine can reach the server. */
  loopback: boolean
  /** The address that users see. */
  publicUrl: PublicUrl | undefined
}

/**
 * Rejects requests whose Host header names neither this machine nor PUBLIC_URL. Otherwise a foreign web page could reach the server through a
 * domain of the attacker (DNS rebinding). Without PUBLIC_URL, the names of a server that other machines can reach are not known; `onlyKnownHosts` restricts them.
 */
export const allowedHosts = ({ loopback, publicUrl }: AddressPorts) =>
  createMiddleware(async (c, next) => {
    const host = c.req.header('host') ?? ''
    const isAllowed = isDelivery(c) || (publicUrl ? isOwnHost(publicUrl, host) : !loopback || isLoopbackHostHeader(host))
    if (!isAllowed) throw new AppError('forbidden', rejection(publicUrl))
    await next()
  })

/** A delivery to a webhook proves its sender by a signature, which no page of a browser has, and returns nothing without it. */
const isDelivery = ({ req }: Context): boolean =>
  req.method === 'POST' && /^\/api\/(hooks\/[^/]+|github\/webhook)$/.test(req.path)

/** An address as host is no domain that an attacker could point to this server. Probes and load balancers send it. */
function isOwnHost({ hostname }: PublicUrl, header: string): boolean {
  const host = nameOf(header)
  return host === hostname || isLoopbackHostHeader(header) || isAddress(host)
}

const nameOf = (header: string): string => header.replace(/:\d{1,5}$/, '').toLowerCase()

const isAddress = (host: string): boolean => isIP(host.replace(/^\[|\]$/g, '')) !== 0

const rejection = (publicUrl: PublicUrl | undefined): string =>
  publicUrl
    ? `This server accepts only requests to ${publicUrl.hostname}, localhost or an IP address. If users see another address, set PUBLIC_URL to it.`
    : 'This server accepts only requests to localhost or 127.0.0.1. If a reverse proxy serves it, set PUBLIC_URL to the address that users see.'

type KnownHostsPorts = AddressPorts & { knownHosts: Pick<KnownHosts, 'has'> }

/** Paths that show nothing of the install and that the sign-in page needs. */
const openUnderEveryName = /^\/api\/(health|ready|auth\/.*)$/

/**
 * Rejects anonymous requests to a server that other machines can reach, unless a domain of an attacker cannot be the name in their Host header,
 * or an admin has signed in under it. A foreign page has neither a key nor a session of its domain.
 */
export const onlyKnownHosts = (ports: KnownHostsPorts) =>
  createMiddleware<CallerEnv>(async (c, next) => {
    const name = strangeName(ports, c.req.header('host') ?? '')
    if (name !== undefined && !c.get('caller').holder && !openUnderEveryName.test(c.req.path) && !isDelivery(c))
      throw new AppError('forbidden', unknownName(name))
    await next()
  })

/** Remembers the name in the Host header of a request with which an admin has signed in. */
export function rememberHost(ports: AddressPorts & { knownHosts: KnownHosts }, header: string, actor: Actor): void {
  const name = strangeName(ports, header)
  if (name !== undefined && name !== '') ports.knownHosts.add(name, actor)
}

/** The name in a Host header, if it must be known and is not. */
function strangeName({ loopback, publicUrl, knownHosts }: KnownHostsPorts, header: string): string | undefined {
  if (loopback || publicUrl) return undefined
  const name = nameOf(header).replace(/\.$/, '')
  return isPrivateName(name) || isAddress(name) || knownHosts.has(name) ? undefined : name
}

/** Nobody can register such a name in the public DNS: `localhost`, `carrel`, `carrel.local`. */
const isPrivateName = (name: string): boolean => /^[\w-]+$|^.+\.local$/.test(name)

const unknownName = (name: string): string =>
  `Requests without an API key are not served under the name "${name}", which could be that of a foreign web page. Sign in as an admin under this name once, or set PUBLIC_URL to the address that users see.`
