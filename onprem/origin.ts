import { cors } from 'hono/cors'
import { createMiddleware } from 'hono/factory'
import { isLoopbackHost } from '../shared/base-url.ts'
import { AppError } from '../shared/errors.ts'
import type { App } from './app.ts'

/**
 * On loopback every request names this machine as its Host, and a browser's comes from a page of this machine or of an allowed
 * origin: else a page of a stranger could reach the server under a name of its own (DNS rebinding).
 */
export const onlyThisMachine = ({ loopback, settings }: Pick<App, 'loopback' | 'settings'>) =>
  createMiddleware(async (c, next) => {
    if (loopback) {
      if (!isLocalHost(c.req.header('host') ?? ''))
        throw new AppError('forbidden', 'This server answers only as localhost or 127.0.0.1.')
      const origin = c.req.header('origin')
      if (origin !== undefined && !isLocalOrigin(origin) && !settings.get('mcp.allowedOrigins').includes(origin))
        throw new AppError('forbidden', 'This origin is not allowed; the setting mcp.allowedOrigins names those that are.')
    }
    await next()
  })

/** Lets pages of the allowed origins read what `/mcp` answers; no other origin is sent a CORS header. */
export const allowedOrigins = ({ settings }: Pick<App, 'settings'>) => {
  const allow = cors({ origin: (origin) => origin, allowMethods: ['POST'], exposeHeaders: ['mcp-protocol-version'] })
  return createMiddleware(async (c, next) => {
    const isAllowed = settings.get('mcp.allowedOrigins').includes(c.req.header('origin') ?? '')
    return isAllowed ? allow(c, next) : next()
  })
}

/** As written: other spellings of a loopback address are no client's. */
const isLocalHost = (host: string): boolean => isLoopbackHost(host.replace(/:\d{1,5}$/, ''))

const isLocalOrigin = (origin: string): boolean => {
  const [, host] = /^https?:\/\/(.+)$/.exec(origin) ?? []
  return host !== undefined && isLocalHost(host)
}
