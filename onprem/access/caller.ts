import type { MiddlewareHandler } from 'hono'
import { createMiddleware } from 'hono/factory'
import { AppError } from '../../shared/errors.ts'
import { keyPrefixes } from '../../shared/keys/api-key.ts'
import type { SettingsStore } from '../../shared/store/settings-store.ts'
import type { KeyHolder } from '../accounts/key-store.ts'

/** Who calls with a valid key, or is signed in: `id` is the key's, else the user's, and `name` is what that is called. */
export type Holder = KeyHolder & { via: 'key' | 'session' }
/** `unidentified`: a key or session was sent, and the files to check it with cannot be read. */
export type Caller = { holder: Holder | undefined; sentKey: boolean; unidentified?: boolean }
export type CallerEnv = { Variables: { caller: Caller } }

/** `read` answers names and content; the switches open `parse`, `refresh`, `delete` and `supportBundle` to everyone. */
export type Right = 'read' | 'mcp' | 'parse' | 'refresh' | 'delete' | 'supportBundle' | 'member' | 'admin'

/** What an admin alone may do where no switch opens it. */
const forAdmins: readonly Right[] = ['delete', 'supportBundle', 'admin']

export type RightPorts = { settings: Pick<SettingsStore, 'get'> }

/** Lets in who may. Throws invalid_api_key where a key is needed, forbidden where its role is not enough. */
export const requireRight = (ports: RightPorts, right: Right): MiddlewareHandler<CallerEnv> =>
  createMiddleware<CallerEnv>(async (c, next) => {
    check(ports, right, c.get('caller'))
    await next()
  })

/** Whether names and content may be shown to a caller: without a key only while requireMcpAuth is off. */
export const mayRead = ({ settings }: RightPorts, { holder }: Caller): boolean => holder !== undefined || isOpen(settings, 'read')

/** Whom the audit log names. */
export function actorOf({ holder }: Caller): string {
  if (!holder) return 'anonymous'
  if (holder.via === 'session') return holder.name
  return holder.username === null ? `key ${holder.name}` : `${holder.username} (key ${holder.name})`
}

function check({ settings }: RightPorts, right: Right, { holder, sentKey }: Caller): void {
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
    const yours = holder.via === 'key' ? 'the key of an admin; yours is' : 'an admin; you are'
    throw new AppError('forbidden', `This needs ${yours} a member.`)
  }
}

function isOpen(settings: RightPorts['settings'], right: Right): boolean {
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
