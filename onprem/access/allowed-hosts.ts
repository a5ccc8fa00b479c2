import { isIP } from 'node:net'
import { createMiddleware } from 'hono/factory'
import { AppError } from '../../shared/errors.ts'
import { isLoopbackHostHeader } from '../../shared/http/loopback-only.ts'
import type { PublicUrl } from '../../shared/schemas/public-url.ts'

export type AddressPorts = {
  /** True if only this machine can reach the server. */
  loopback: boolean
  /** The address that users see. */
  publicUrl: PublicUrl | undefined
}

/**
 * Rejects requests whose Host header names neither this machine nor PUBLIC_URL. Otherwise a foreign web page could reach the server through a
 * domain of the attacker (DNS rebinding). Without PUBLIC_URL, the names of a server that other machines can reach are not known.
 */
export const allowedHosts = ({ loopback, publicUrl }: AddressPorts) =>
  createMiddleware(async (c, next) => {
    const host = c.req.header('host') ?? ''
    const isAllowed = publicUrl ? isOwnHost(publicUrl, host) : !loopback || isLoopbackHostHeader(host)
    if (!isAllowed) throw new AppError('forbidden', rejection(publicUrl))
    await next()
  })

/** An address as host is no domain that an attacker could point to this server. Probes and load balancers send it. */
function isOwnHost({ hostname }: PublicUrl, header: string): boolean {
  const host = header.replace(/:\d{1,5}$/, '').toLowerCase()
  return host === hostname || isLoopbackHostHeader(header) || isIP(host.replace(/^\[|\]$/g, '')) !== 0
}

const rejection = (publicUrl: PublicUrl | undefined): string =>
  publicUrl
    ? `This server accepts only requests to ${publicUrl.hostname}, localhost or an IP address. If users see another address, set PUBLIC_URL to it.`
    : 'This server accepts only requests to localhost or 127.0.0.1. If a reverse proxy serves it, set PUBLIC_URL to the address that users see.'
