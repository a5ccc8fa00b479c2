import type { MiddlewareHandler } from 'hono'
import { createMiddleware } from 'hono/factory'
import { AppError } from '../../shared/errors.ts'
import { withDocs } from '../../shared/http/route-docs.ts'
import { keyPrefixes } from '../../shared/keys/api-key.ts'
import type { SettingsStore } from '../../shared/store/settings-store.ts'
import type { Actor } from '../accounts/audit-log.ts'
import type { KeyHolder } from '../accounts/key-store.ts'
import type { LibraryRules } from '../accounts/library-rules.ts'

/** A caller with a valid key or a session, or a command on this machine. `id` and `name` are those of the key, else of the user. */
export type Holder = KeyHolder & { via: 'key' | 'session' | 'command' | 'webhook' }
export type Caller = {
  holder: Holder | undefined
  sentKey: boolean
  /** The key or session cannot be checked, because the database or the session key is damaged. */
  unidentified?: boolean
  /** The address of the client, for the audit log; absent if nobody sent a request. */
  address?: string
  /** Patterns of the only libraries that exist for this request. */
  only?: readonly string[]
}
export type CallerEnv = { Variables: { caller: Caller } }

/** The command line. Anyone who can write to the data directory has the rights of an admin. It is no user, because the install owns it. */
export const commandLine = {
  holder: { id: 'command line', role: 'admin', name: 'command line', userId: null, username: null, via: 'command' },
  sentKey: false,
  address: 'command line',
} as const satisfies Caller

/**
 * `read` covers names and content, `member` what else every key reads, `change` what members change. Settings can open `parse`, `refresh`,
 * `delete`, `supportBundle` and `monitoring` to anonymous callers.
 */
export type Right =
  | 'read'
  | 'mcp'
  | 'parse'
  | 'refresh'
  | 'delete'
  | 'supportBundle'
  | 'monitoring'
  | 'member'
  | 'change'
  | 'admin'

/** Rights of admins, unless a setting opens them. */
const adminRights: readonly Right[] = ['delete', 'supportBundle', 'admin']

/** The rights of a key that only reads. */
const readRights: readonly Right[] = ['read', 'mcp', 'monitoring', 'member']

export type RightPorts = { settings: Pick<SettingsStore, 'get'>; libraryRules: Pick<LibraryRules, 'current'> }

/** Lets callers with the right pass. Throws invalid_api_key if a key is required, forbidden if the role is insufficient. */
export const requireRight = (ports: RightPorts, right: Right): MiddlewareHandler<CallerEnv> => {
  const check = createMiddleware<CallerEnv>(async (c, next) => {
    const caller = c.get('caller')
    requireCaller(ports, right, caller)
    // A key that only reads may do what everyone may, as everyone does it: without the stored tokens.
    if (caller.holder?.readOnly && !readRights.includes(right)) c.set('caller', { ...caller, holder: undefined })
    await next()
  })
  return withDocs(check, { access: { caller: right, needsKey: isKeyRight(right) }, errors: [401] })
}

/** No setting opens these rights to callers without a key. */
const isKeyRight = (right: Right): boolean => right === 'member' || right === 'change' || right === 'admin'

/** True if a caller may see names and content. Anonymous callers may while requireMcpAuth is off. */
export const mayRead = (ports: RightPorts, { holder }: Caller): boolean => hasRight(ports, 'read', holder)

/** True if the holder of a key or session, or an anonymous caller, has the right. */
export function hasRight(ports: RightPorts, right: Right, holder: Holder | undefined): boolean {
  if (isOpen(ports, right)) return true
  if (holder === undefined) return false
  if (holder.readOnly) return readRights.includes(right)
  return holder.role === 'admin' || !adminRights.includes(right)
}

/** The caller, as the audit log names it. */
export const actorOf = ({ holder, address = '' }: Caller): Actor => ({ name: nameOf(holder), id: holder?.id ?? '', address })

function nameOf(holder: Holder | undefined): string {
  if (!holder) return 'anonymous'
  if (holder.via !== 'key') return holder.name
  return holder.username === null ? `key ${holder.name}` : `${holder.username} (key ${holder.name})`
}

/** True if clients of `/mcp` should send a key: it is required, or it shows libraries that others do not see. */
export const wantsKey = (ports: RightPorts): boolean => ports.settings.get('permissions.requireMcpAuth') || hidesLibraries(ports)

/** True if some callers may not see some libraries. */
const hidesLibraries = ({ settings, libraryRules }: RightPorts): boolean =>
  settings.get('permissions.hidePrivate') || libraryRules.current().list.some(({ access }) => access !== 'public')

/** The owner of libraries that a caller adds: a user with all keys, or a key that belongs to no user. */
export const ownerOf = ({ userId, id }: Holder): string => userId ?? id

/** The caller who takes turns in the queue: an owner, or all anonymous callers together. */
export const turnOf = ({ holder }: Caller): string => (holder ? ownerOf(holder) : 'anonymous')

export function requireCaller(ports: RightPorts, right: Right, { holder, sentKey }: Caller): void {
  if (hasRight(ports, right, holder)) return
  if (!holder) {
    throw new AppError(
      'invalid_api_key',
      sentKey
        ? `The API key is unknown, expired or revoked in this install; its keys begin with ${keyPrefixes.onprem}.`
        : `This requires an API key: send "Authorization: Bearer ${keyPrefixes.onprem}…".`,
    )
  }
  if (holder.readOnly)
    throw new AppError('forbidden', 'Your key can only read: its scope is "read". Use a key with the scope "add" or "admin".')
  const required = holder.via === 'key' ? 'the key of an admin; yours is' : 'an admin; you are'
  throw new AppError('forbidden', `This requires ${required} a member.`)
}

function isOpen(ports: RightPorts, right: Right): boolean {
  const { settings } = ports
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
      // Its jobs and log lines name all libraries.
      return settings.get('permissions.anonymousSupportBundle') && !hidesLibraries(ports)
    case 'monitoring':
      return settings.get('permissions.anonymousMetrics')
    default:
      return false
  }
}
