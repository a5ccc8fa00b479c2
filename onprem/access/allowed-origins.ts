import { cors } from 'hono/cors'
import { createMiddleware } from 'hono/factory'
import { AppError } from '../../shared/errors.ts'
import { isOwnOrigin } from '../../shared/http/is-own-origin.ts'
import { isLoopbackHostHeader } from '../../shared/http/loopback-only.ts'
import type { SettingsStore } from '../../shared/store/settings-store.ts'
import type { AddressPorts } from './allowed-hosts.ts'

type OriginPorts = { settings: Pick<SettingsStore, 'get'> }

/**
 * Rejects browser requests from pages that are neither of this server nor local nor from an allowed origin. Without PUBLIC_URL, the origin of a
 * server that other machines can reach is not known.
 */
export const onlyLocalOrigins = ({ loopback, publicUrl, settings }: OriginPorts & AddressPorts) =>
  createMiddleware(async (c, next) => {
    const origin = c.req.header('origin')
    if (origin !== undefined && (loopback || publicUrl)) {
      const isAllowed = isLocalOrigin(origin) || isOwnOrigin(c, origin, publicUrl)
      if (!isAllowed && !settings.get('mcp.allowedOrigins').includes(origin)) throw new AppError('forbidden', notAllowed)
    }
    await next()
  })

const notAllowed =
  'This origin is not allowed; add it to the setting mcp.allowedOrigins. If it is the address that users see, set PUBLIC_URL to it.'

/** Lets pages of the allowed origins read the responses of `/mcp`. Other origins get no CORS header. */
export const allowedOrigins = ({ settings }: OriginPorts) => {
  const allow = cors({ origin: (origin) => origin, allowMethods: ['POST'], exposeHeaders: ['mcp-protocol-version'] })
  return createMiddleware(async (c, next) => {
    const isAllowed = settings.get('mcp.allowedOrigins').includes(c.req.header('origin') ?? '')
    return isAllowed ? allow(c, next) : next()
  })
}

const isLocalOrigin = (origin: string): boolean => {
  const [, host] = /^https?:\/\/(.+)$/.exec(origin) ?? []
  return host !== undefined && isLoopbackHostHeader(host)
}
