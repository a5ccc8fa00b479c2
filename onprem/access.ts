import type { Context, MiddlewareHandler } from 'hono'
import { createMiddleware } from 'hono/factory'
import { isLoopbackHost } from '../shared/base-url.ts'
import { AppError } from '../shared/errors.ts'
import { keyPrefixes } from '../shared/keys/api-key.ts'
import type { App } from './app.ts'
import type { KeyHolder } from './store/key-store.ts'

/** Who calls: the holder of a valid key, or nobody. */
export type Caller = { holder: KeyHolder | undefined }
export type AccessEnv = { Variables: { caller: Caller } }

/** Headers that clients in the field send their key in; the first that is there counts. */
const keyHeaders = [
  'authorization',
  'x-carrel-api-key',
  'x-context7-api-key',
  'context7-api-key',
  'x-api-key',
  'context7_api_key',
  'x_api_key',
]

/** `read` answers names and content; the switches open `parse`, `refresh` and `delete` to everyone. */
export type Right = 'public' | 'read' | 'mcp' | 'parse' | 'refresh' | 'delete' | 'member' | 'admin'

/** Says who is calling. A key that is unknown, revoked or expired is nobody's. */
export const identify = ({ keys }: Pick<App, 'keys'>) =>
  createMiddleware<AccessEnv>(async (c, next) => {
    const key = keyOf(c)
    c.set('caller', { holder: key === undefined ? undefined : keys.find(key) })
    await next()
  })

/** Lets in who may. Throws invalid_api_key where a key is needed, forbidden where its role is not enough. */
export const allow = (app: Pick<App, 'settings'>, right: Right): MiddlewareHandler<AccessEnv> =>
  createMiddleware<AccessEnv>(async (c, next) => {
    check(app, right, c.get('caller'))
    await next()
  })

function check({ settings }: Pick<App, 'settings'>, right: Right, { holder }: Caller): void {
  if (isOpen(settings, right)) return
  if (!holder)
    throw new AppError('invalid_api_key', `This needs an API key: send "Authorization: Bearer ${keyPrefixes.onprem}…".`)
  if ((right === 'admin' || right === 'delete') && holder.role !== 'admin') {
    throw new AppError('forbidden', 'This needs the key of an admin; yours is a member.')
  }
}

function isOpen(settings: App['settings'], right: Right): boolean {
  switch (right) {
    case 'public':
      return true
    case 'read':
    case 'mcp':
      return !settings.get('permissions.requireMcpAuth')
    case 'parse':
      return settings.get('permissions.anonymousParse')
    case 'refresh':
      return settings.get('permissions.anonymousRefresh')
    case 'delete':
      return settings.get('permissions.anonymousDelete')
    default:
      return false
  }
}

/**
 * On loopback every request names this machine as its Host, and a browser's its own or an allowed origin: else a page of a
 * stranger could reach the server under a name of its own (DNS rebinding).
 */
export const onlyThisMachine = ({ loopback, settings }: Pick<App, 'loopback' | 'settings'>) =>
  createMiddleware(async (c, next) => {
    if (loopback) {
      const host = URL.parse(`http://${c.req.header('host') ?? ''}`)?.hostname
      if (host === undefined || !isLoopbackHost(bare(host)))
        throw new AppError('forbidden', 'This server answers only as localhost or 127.0.0.1.')
      const origin = c.req.header('origin')
      if (origin !== undefined && !isLocal(origin) && !settings.get('mcp.allowedOrigins').includes(origin)) {
        throw new AppError('forbidden', 'This origin is not allowed; the setting mcp.allowedOrigins names those that are.')
      }
    }
    await next()
  })

const isLocal = (origin: string) => {
  const host = URL.parse(origin)?.hostname
  return host !== undefined && isLoopbackHost(bare(host))
}

const bare = (hostname: string) => hostname.replace(/^\[|\]$/g, '')

function keyOf(c: Context): string | undefined {
  for (const name of keyHeaders) {
    const value = c.req.header(name)?.trim()
    if (value) return value.replace(/^bearer\s+/i, '')
  }
  return undefined
}
