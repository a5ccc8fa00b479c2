import type { Context } from 'hono'
import { cors } from 'hono/cors'
import { createMiddleware } from 'hono/factory'
import { AppError } from '../../shared/errors.ts'
import { isLocalHost } from '../../shared/http/loopback-host.ts'
import type { SettingsStore } from '../../shared/store/settings-store.ts'
import { isOwnOrigin } from '../accounts/client-address.ts'

type OriginPorts = { settings: Pick<SettingsStore, 'get'> }

/** On loopback a browser's request comes from a page of this machine or of an allowed origin. */
export const onlyLocalOrigins = ({ loopback, settings }: OriginPorts & { loopback: boolean }) =>
  createMiddleware(async (c, next) => {
    if (loopback) {
      const origin = c.req.header('origin')
      if (origin !== undefined && !isLocalOrigin(origin) && !settings.get('mcp.allowedOrigins').includes(origin))
        throw new AppError('forbidden', 'This origin is not allowed; the setting mcp.allowedOrigins names those that are.')
    }
    await next()
  })

/** Lets pages of the allowed origins read what `/mcp` answers; no other origin is sent a CORS header. */
export const allowedOrigins = ({ settings }: OriginPorts) => {
  const allow = cors({ origin: (origin) => origin, allowMethods: ['POST'], exposeHeaders: ['mcp-protocol-version'] })
  return createMiddleware(async (c, next) => {
    const isAllowed = settings.get('mcp.allowedOrigins').includes(c.req.header('origin') ?? '')
    return isAllowed ? allow(c, next) : next()
  })
}

/**
 * Throws forbidden where a page of another origin has sent this. A browser names the origin of every write, so one that names none came
 * from no page of ours: `unnamed` says what that counts as. JSON is no proof of a page of ours either.
 */
export function rejectForeignPage(c: Context, { unnamed }: { unnamed: 'own' | 'foreign' }): void {
  const origin = c.req.header('origin')
  if (origin === undefined ? unnamed === 'own' : isOwnOrigin(c, origin)) return
  throw new AppError(
    'forbidden',
    'Who is signed in writes only from the pages of this server, under the address that it has there.',
  )
}

const isLocalOrigin = (origin: string): boolean => {
  const [, host] = /^https?:\/\/(.+)$/.exec(origin) ?? []
  return host !== undefined && isLocalHost(host)
}
