import { cors } from 'hono/cors'
import { createMiddleware } from 'hono/factory'
import { AppError } from '../../shared/errors.ts'
import { isLoopbackHostHeader } from '../../shared/http/loopback-only.ts'
import type { SettingsStore } from '../../shared/store/settings-store.ts'

type OriginPorts = { settings: Pick<SettingsStore, 'get'> }

/** On a loopback address, rejects browser requests from pages that are neither local nor from an allowed origin. */
export const onlyLocalOrigins = ({ loopback, settings }: OriginPorts & { loopback: boolean }) =>
  createMiddleware(async (c, next) => {
    if (loopback) {
      const origin = c.req.header('origin')
      if (origin !== undefined && !isLocalOrigin(origin) && !settings.get('mcp.allowedOrigins').includes(origin))
        throw new AppError('forbidden', 'This origin is not allowed; add it to the setting mcp.allowedOrigins.')
    }
    await next()
  })

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
