import { randomBytes } from 'node:crypto'
import { AppError, invalidField } from '../../shared/errors.ts'
import type { LibraryId } from '../../shared/library.ts'
import { allowedUrl, type HostRules } from '../../shared/network/allowed-hosts.ts'
import { type GitHosts, hostList, listHosts } from '../../shared/reading/git/git-hosts.ts'
import { platformPaths } from '../../shared/reading/git/platform-paths.ts'
import type { GitHost } from '../../shared/schemas/git-host.ts'
import { actorOf, type Caller } from '../access/caller.ts'
import type { Atomically, AuditLog } from '../accounts/audit-log.ts'
import type { InstallCatalog } from '../store/catalog/sqlite-catalog.ts'
import { findLibrary } from '../store/catalog/visible-libraries.ts'
import type { Hook, NewHook } from './hook.ts'
import type { HookStore } from './hook-store.ts'

export type ManageHooksPorts = {
  hooks: Pick<HookStore, 'create' | 'list' | 'find' | 'remove'>
  catalog: Pick<InstallCatalog, 'find'>
  gitHosts(): GitHosts
  sourceHosts: HostRules
  audit: Pick<AuditLog, 'record'>
  atomically: Atomically
}

const maxHooks = 500

/** Adds a webhook and returns its secret, which is never shown again. Throws validation_error, library_not_found. */
export function createHook(ports: ManageHooksPorts, caller: Caller, requested: NewHook): Hook & { secret: string } {
  const { kind, secret = randomBytes(32).toString('base64url') } = requested
  if (requested.library !== undefined && requested.host !== undefined) throw invalidField('host', 'cannot be sent with library')
  const library = requested.library === undefined ? null : refreshable(ports, requested.library)
  const host = library === null ? hostOf(ports, requested) : null
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

function refreshable({ catalog }: ManageHooksPorts, { owner, repo }: LibraryId): string {
  const { id, imported } = findLibrary(catalog, { owner, repo })
  if (!imported) return id
  throw invalidField('library', `is ${id}, which was imported, so it has no repository to refresh it from`)
}

/** The host whose libraries a webhook refreshes; null for all. Throws validation_error. */
function hostOf(ports: ManageHooksPorts, { kind, host }: NewHook): string | null {
  const hosts = listHosts(ports.gitHosts())
  if (host === undefined) return kind === 'generic' ? null : defaultHost(hosts, kind)
  const named = hosts.filter(({ baseUrl }) => baseUrl.toLowerCase() === host.toLowerCase())
  const [other, own] = [named[0], named.find((each) => kinds[kind](each.kind))]
  if (own) return own.baseUrl
  if (other) throw invalidField('kind', `must be that of ${other.baseUrl}, which is a host of ${platformPaths[other.kind].label}`)
  if (kind === 'generic' && isSource(ports, host)) return host
  throw invalidField(
    'host',
    `is no host of this install, so none of its libraries is from there. The settings name ${hostList(ports.gitHosts())}`,
  )
}

/** The hosts of each kind of webhook. The software of a `git` host is unknown. */
const kinds: Record<Hook['kind'], (host: GitHost['kind']) => boolean> = {
  github: (host) => host === 'github' || host === 'git',
  gitlab: (host) => host === 'gitlab' || host === 'git',
  gitea: (host) => host === 'gitea' || host === 'git',
  bitbucket: (host) => host === 'bitbucket' || host === 'bitbucket-server' || host === 'git',
  generic: () => true,
}

function defaultHost(hosts: GitHost[], kind: Hook['kind']): string {
  const fitting = hosts.filter((host) => host.kind !== 'git' && kinds[kind](host.kind))
  const [first, second] = fitting
  const own = fitting.find(({ name }) => name === kind) ?? (second ? undefined : first)
  if (own) return own.baseUrl
  throw invalidField('host', 'is required: the address of a host in the settings Git hosts, unless library is sent')
}

function isSource({ sourceHosts }: ManageHooksPorts, host: string): boolean {
  try {
    allowedUrl(host, sourceHosts)
    return true
  } catch (error) {
    if (error instanceof AppError) return false
    throw error
  }
}
