import { randomBytes } from 'node:crypto'
import { AppError, invalidField } from '../../shared/errors.ts'
import { parseLibraryId } from '../../shared/library.ts'
import type { SettingsStore } from '../../shared/store/settings-store.ts'
import { actorOf, type Caller } from '../access/caller.ts'
import type { Atomically, AuditLog } from '../accounts/audit-log.ts'
import type { InstallCatalog } from '../store/catalog/sqlite-catalog.ts'
import { findLibrary } from '../store/catalog/visible-libraries.ts'
import type { Hook, NewHook } from './hook.ts'
import type { HookStore } from './hook-store.ts'

export type ManageHooksPorts = {
  hooks: Pick<HookStore, 'create' | 'list' | 'find' | 'remove'>
  catalog: Pick<InstallCatalog, 'find'>
  settings: Pick<SettingsStore, 'get'>
  audit: Pick<AuditLog, 'record'>
  atomically: Atomically
}

const maxHooks = 500

/** Adds a webhook and returns its secret, which is never shown again. Throws validation_error, library_not_found. */
export function createHook(ports: ManageHooksPorts, caller: Caller, requested: NewHook): Hook & { secret: string } {
  const { kind, secret = randomBytes(32).toString('base64url') } = requested
  if (requested.library !== undefined && requested.host !== undefined) throw invalidField('host', 'cannot be sent with library')
  const library = requested.library === undefined ? null : refreshable(ports, requested.library)
  const host = library === null ? (requested.host ?? defaultHost(ports, kind)) : null
  const name = requested.name ?? `${kind}: ${library ?? host ?? 'all libraries'}`
  return ports.atomically(() => {
    if (ports.hooks.list().length >= maxHooks)
      throw new AppError(
        'validation_error',
        `There are ${maxHooks} webhooks, which is the limit. Remove those that nothing uses.`,
      )
    const hook = ports.hooks.create({ kind, name, library, host }, secret)
    ports.audit.record({ actor: actorOf(caller), action: 'hook.create', subject: name })
    return { ...hook, secret }
  })
}

/** Throws not_found. */
export function removeHook(ports: ManageHooksPorts, caller: Caller, id: string): Hook {
  return ports.atomically(() => {
    const hook = findHook(ports, id)
    ports.hooks.remove(id)
    ports.audit.record({ actor: actorOf(caller), action: 'hook.remove', subject: hook.name })
    return hook
  })
}

/** Throws not_found. */
export function findHook({ hooks }: Pick<ManageHooksPorts, 'hooks'>, id: string): Hook {
  const hook = hooks.find(id)
  if (!hook) throw new AppError('not_found', 'There is no webhook with this id.')
  return hook
}

function refreshable({ catalog }: ManageHooksPorts, text: string): string {
  const { owner, repo } = parseLibraryId(text)
  const { id, imported } = findLibrary(catalog, { owner, repo })
  if (!imported) return id
  throw invalidField('library', `is ${id}, which was imported, so it has no repository to refresh it from`)
}

function defaultHost({ settings }: ManageHooksPorts, kind: Hook['kind']): string | null {
  if (kind === 'generic') return null
  if (kind === 'github' || kind === 'gitlab') return settings.get(`${kind}.baseUrl`)
  if (kind === 'bitbucket') return 'https://bitbucket.org'
  throw invalidField('host', 'is required: the address of the Gitea or Forgejo server, unless library is sent')
}
