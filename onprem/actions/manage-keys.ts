import { AppError, invalidField } from '../../shared/errors.ts'
import { actorOf, type Caller, type Holder } from '../access/caller.ts'
import type { Atomically, AuditLog } from '../accounts/audit-log.ts'
import type { KeyOwner, KeyStore, ListedKey, NewKey } from '../accounts/key-store.ts'

export type ManageKeysPorts = {
  keys: Pick<KeyStore, 'create' | 'list' | 'revoke'>
  audit: Pick<AuditLog, 'record'>
  atomically: Atomically
  now(): Date
}

/** Keys that the caller may see, oldest first: all for an admin, else those of its user or those created with its key; only itself for a key that is limited. */
export function visibleKeys({ keys }: Pick<ManageKeysPorts, 'keys'>, caller: Caller): ListedKey[] {
  const holder = holderOf(caller)
  if (holder.role === 'admin') return keys.list()
  const own = keys.list(ownerOf(holder))
  return holder.libraries || holder.addresses ? own.filter(({ id }) => id === holder.id) : own
}

/** Maximum number of keys of one user, including expired ones. */
const maxKeys = 100
const tooManyKeys = `You have ${maxKeys} keys, which is the limit. Revoke keys that you no longer use, such as expired ones, with DELETE /api/keys/<id> or on the page Account.`

/**
 * Creates a key with rights of the caller. Throws validation_error for a key too many, for rights that the caller does not have, and for an expiry that is past or
 * after that of the caller's key; forbidden for a caller whose key is limited.
 */
export function createKey(ports: ManageKeysPorts, caller: Caller, requested: NewKey): ReturnType<KeyStore['create']> {
  return ports.atomically(() => {
    const created = ports.keys.create(newKey(ports, holderOf(caller), requested))
    ports.audit.record({ actor: actorOf(caller), action: 'key.create', subject: `${created.name} (${created.prefix})` })
    return created
  })
}

/** Returns the revoked key. Throws not_found. */
export function revokeKey(ports: ManageKeysPorts, caller: Caller, id: string): ListedKey {
  return ports.atomically(() => {
    const key = visibleKeys(ports, caller).find((each) => each.id === id)
    if (!key || !ports.keys.revoke(key.id))
      throw new AppError('not_found', 'There is no key with this id among those you may see.')
    ports.audit.record({ actor: actorOf(caller), action: 'key.revoke', subject: `${key.name} (${key.prefix})` })
    return key
  })
}

function newKey(
  { keys, now }: Pick<ManageKeysPorts, 'keys' | 'now'>,
  holder: Holder,
  { name, expiresAt, scope, libraries, addresses }: NewKey,
): Parameters<KeyStore['create']>[0] {
  if (expiresAt !== undefined && expiresAt <= now()) throw invalidField('expiresAt', 'must be in the future')
  if (keys.list(ownerOf(holder)).length >= maxKeys) throw new AppError('validation_error', tooManyKeys)
  if (holder.libraries || holder.addresses)
    throw new AppError(
      'forbidden',
      'A key that is limited to libraries or addresses cannot create keys. Sign in, or use another key.',
    )
  if (scope === 'admin' && holder.role !== 'admin') throw invalidField('scope', 'must be read or add: you are a member')
  if (scope === 'admin' && libraries)
    throw invalidField('libraries', 'must be absent: a key with the scope admin can do everything')
  const { userId } = holder
  const own = holder.via === 'key' ? keys.list(ownerOf(holder)).find(({ id }) => id === holder.id) : undefined
  const role = own?.role ?? holder.role
  const limits = { scope: scope ?? own?.scope ?? null, libraries, addresses }
  if (holder.via !== 'key') return { name, expiresAt, role, userId, ...limits }
  const until = own?.expiresAt
  const latest = until ? new Date(until) : undefined
  if (latest && expiresAt && expiresAt > latest)
    throw invalidField('expiresAt', `must not be after ${until}, when the key that creates this one expires`)
  return { name, expiresAt: expiresAt ?? latest, role, userId, madeBy: holder.id, ...limits }
}

const ownerOf = ({ id, userId }: Holder): KeyOwner => (userId === null ? { keyId: id } : { userId })

const holderOf = ({ holder }: Caller): Holder => holder as Holder
