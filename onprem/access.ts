import type { MiddlewareHandler } from 'hono'
import { createMiddleware } from 'hono/factory'
import { keyOf } from '../shared/api/key-header.ts'
import { AppError } from '../shared/errors.ts'
import { keyPrefixes } from '../shared/keys/api-key.ts'
import type { App } from './app.ts'
import type { KeyHolder } from './store/key-store.ts'

/** Who calls: the holder of a valid key, or nobody. */
export type Caller = { holder: KeyHolder | undefined; sentKey: boolean }
export type AccessEnv = { Variables: { caller: Caller } }

/** `read` answers names and content; the switches open `parse`, `refresh`, `delete` and `supportBundle` to everyone. */
export type Right = 'read' | 'mcp' | 'parse' | 'refresh' | 'delete' | 'supportBundle' | 'member' | 'admin'

/** What an admin alone may do where no switch opens it. */
const forAdmins: readonly Right[] = ['delete', 'supportBundle', 'admin']

/** Says who is calling. A key that is unknown, revoked or expired is nobody's. */
export const identify = ({ keys }: Pick<App, 'keys'>) =>
  createMiddleware<AccessEnv>(async (c, next) => {
    const key = keyOf(c)
    c.set('caller', { holder: key === undefined ? undefined : keys.find(key), sentKey: key !== undefined })
    await next()
  })

/** Lets in who may. Throws invalid_api_key where a key is needed, forbidden where its role is not enough. */
export const allow = (app: Pick<App, 'settings'>, right: Right): MiddlewareHandler<AccessEnv> =>
  createMiddleware<AccessEnv>(async (c, next) => {
    check(app, right, c.get('caller'))
    await next()
  })

/** Whether names and content may be shown to a caller: without a key only while requireMcpAuth is off. */
export const mayRead = ({ settings }: Pick<App, 'settings'>, { holder }: Caller): boolean =>
  holder !== undefined || isOpen(settings, 'read')

function check({ settings }: Pick<App, 'settings'>, right: Right, { holder, sentKey }: Caller): void {
  if (isOpen(settings, right)) return
  if (!holder) {
    throw new AppError(
      'invalid_api_key',
      sentKey
        ? `The API key is unknown, expired or revoked here; keys of this install begin with ${keyPrefixes.onprem}.`
        : `This needs an API key: send "Authorization: Bearer ${keyPrefixes.onprem}…".`,
    )
  }
  if (forAdmins.includes(right) && holder.role !== 'admin') {
    throw new AppError('forbidden', 'This needs the key of an admin; yours is a member.')
  }
}

function isOpen(settings: App['settings'], right: Right): boolean {
  switch (right) {
    case 'read':
    case 'mcp':
      return !settings.get('permissions.requireMcpAuth')
    case 'parse':
      return settings.get('permissions.anonymousParse')
    case 'refresh':
      return settings.get('permissions.anonymousRefresh')
    case 'delete':
      return settings.get('permissions.anonymousDelete')
    case 'supportBundle':
      return settings.get('permissions.anonymousSupportBundle')
    default:
      return false
  }
}
