import { createHash, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import { SubnetText } from '../../shared/http/subnet.ts'
import { hashApiKey, isWellFormedKey, keyPrefixes, makeApiKey, printPrefix } from '../../shared/keys/api-key.ts'
import { shortText } from '../../shared/schemas/short-text.ts'
import { transaction } from '../../shared/store/database.ts'
import { LibraryPattern } from './library-pattern.ts'

export const roles = ['admin', 'member'] as const
export type Role = (typeof roles)[number]

/** `read`: names and content; `add`: also what members change, such as adding libraries; `admin`: everything. */
export const scopes = ['read', 'add', 'admin'] as const
export type Scope = (typeof scopes)[number]

export const NewKey = z.strictObject({
  name: shortText(100).describe('Name of the key in lists'),
  expiresAt: z
    .union([z.iso.date(), z.iso.datetime({ offset: true })], 'must be a date such as 2030-01-31 or 2030-01-31T12:00:00Z')
    .transform((text) => new Date(text))
    .optional()
    .describe('When the key expires; a date without a time means 00:00 UTC'),
  scope: z
    .enum(scopes)
    .optional()
    .describe(
      'read: search and read; add: also add, refresh and import libraries; admin: everything. By default the rights of its user',
    ),
  libraries: z
    .array(LibraryPattern)
    .min(1)
    .max(100)
    .optional()
    .describe('The only libraries that exist for the key. Not with the scope admin'),
  addresses: z
    .array(SubnetText)
    .min(1)
    .max(100)
    .optional()
    .describe('The addresses and networks from which the key can be used, such as 10.1.0.0/16'),
})
export type NewKey = z.infer<typeof NewKey>

/** Limits of a key that its user does not have. */
type KeyLimits = {
  /** It only reads. */
  readOnly?: true
  /** Patterns of the only libraries that exist for it. */
  libraries?: readonly string[]
  /** The only networks from which it can be used. */
  addresses?: readonly string[]
}

export type KeyHolder = KeyLimits & {
  id: string
  /** Admin if its scope and its user allow everything. */
  role: Role
  /** It is the key of an admin, who may read all libraries, whatever else it may not do. */
  readsAll?: true
  name: string
  /** Null if the key belongs to the install. */
  userId: string | null
  username: string | null
}
/** Selects the keys of a user, or one key of the install and the keys that were created with it. */
export type KeyOwner = { userId: string } | { keyId: string }
type CreatedKey = { id: string; name: string; prefix: string; key: string }
/** The role is that of its user, of which the scope may allow only a part. */
export type ListedKey = {
  id: string
  role: Role
  /** Null: all rights of the role. */
  scope: Scope | null
  libraries: string[] | null
  addresses: string[] | null
  name: string
  userId: string | null
  username: string | null
  prefix: string
  createdAt: string
  expiresAt: string | null
  lastUsedAt: string | null
}

export type KeyStore = {
  /** Returns the key, which is never shown again. A key has the rights of its user. A key created with another key ends with that key. */
  create(
    input: Omit<NewKey, 'scope'> & { role: Role; scope?: Scope | null; userId?: string | null; madeBy?: string | null },
  ): CreatedKey
  /** The holder of a key. Undefined if it is mistyped, unknown, revoked or expired, or if its user is disabled. */
  find(key: string): KeyHolder | undefined
  /** Oldest first, expired ones too. */
  list(owner?: KeyOwner): ListedKey[]
  /** False if there is no key with this id. */
  revoke(id: string): boolean
}

const touchEveryMs = 60_000

export function sqliteKeys(db: DatabaseSync, now: () => Date): KeyStore {
  const insert = db.prepare(
    'INSERT INTO keys (id, name, prefix, hash, role, created_at, expires_at, user_id, made_by, scope, libraries, addresses) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
  )
  const byHash = db.prepare(`${select} WHERE hash = ? AND coalesce(banned, 0) = 0`)
  const all = db.prepare(`${select} ORDER BY keys.created_at, keys.rowid`)
  const ofUser = db.prepare(`${select} WHERE user_id = ? ORDER BY keys.created_at, keys.rowid`)
  const ofKey = db.prepare(`${select} WHERE user_id IS NULL AND ? IN (keys.id, made_by) ORDER BY keys.created_at, keys.rowid`)
  const touch = db.prepare('UPDATE keys SET last_used_at = ? WHERE id = ?')
  const remove = db.prepare('DELETE FROM keys WHERE id = ?')
  return {
    create({ name, role, expiresAt, scope = null, libraries, addresses, userId = null, madeBy = null }) {
      const key = makeApiKey(keyPrefixes.onprem)
      const created = { id: randomUUID(), name, prefix: printPrefix(key), key }
      const [from, to] = [now().toISOString(), expiresAt?.toISOString() ?? null]
      const limits = [libraries, addresses].map((list) => (list ? JSON.stringify(list) : null))
      transaction(db, () =>
        insert.run(created.id, name, created.prefix, hashApiKey(key), role, from, to, userId, madeBy, scope, ...limits),
      )
      return created
    },
    find(key) {
      if (!isWellFormedKey(key)) return undefined
      const row = byHash.get(hashApiKey(key))
      const storedKey = row && toKey(row)
      const time = now()
      if (storedKey === undefined || (storedKey.expiresAt !== null && new Date(storedKey.expiresAt) <= time)) return undefined
      if (storedKey.lastUsedAt === null || time.getTime() - Date.parse(storedKey.lastUsedAt) >= touchEveryMs) {
        ignoreFailure(() => touch.run(time.toISOString(), storedKey.id))
      }
      return holderOf(storedKey)
    },
    list(owner) {
      const rows = owner === undefined ? all.all() : 'userId' in owner ? ofUser.all(owner.userId) : ofKey.all(owner.keyId)
      return rows.map(toKey)
    },
    revoke: (id) => remove.run(id).changes > 0,
  }
}

const listOf = (text: unknown): string[] | null => (typeof text === 'string' ? JSON.parse(text) : null)

const toKey = (row: Record<string, unknown>): ListedKey => ({
  ...(row as ListedKey),
  libraries: listOf(row.libraries),
  addresses: listOf(row.addresses),
})

function holderOf({ id, role, scope, libraries, addresses, name, userId, username }: ListedKey): KeyHolder {
  const isAdmin = role === 'admin' && libraries === null && (scope === null || scope === 'admin')
  return {
    id,
    role: isAdmin ? 'admin' : 'member',
    ...(role === 'admin' && { readsAll: true }),
    ...(scope === 'read' && { readOnly: true }),
    ...(libraries && { libraries }),
    ...(addresses && { addresses }),
    name,
    userId,
    username,
  }
}

/** A key has the current role of its user. */
const select = `SELECT keys.id, keys.name, prefix, coalesce(users.role, keys.role) AS role, user_id AS userId, username,
  keys.created_at AS createdAt, expires_at AS expiresAt, last_used_at AS lastUsedAt, scope, libraries, addresses
  FROM keys LEFT JOIN users ON users.id = user_id`

/** The last use is informative: a full disk or a busy database must not reject the caller. */
function ignoreFailure(write: () => void): void {
  try {
    write()
  } catch {}
}

/** The key with which commands on this machine call a running server. It has the rights of an admin key of the install. */
export type CommandToken = {
  /** Differs for each run of a server. It is stored only in `DATA_DIR/server.json`. */
  readonly token: string
  matches(key: string): boolean
}

export function commandToken(): CommandToken {
  const token = randomBytes(32).toString('base64url')
  const hash = hashOf(token)
  return { token, matches: (key) => timingSafeEqual(hashOf(key), hash) }
}

/** Hashes have the same length, which `timingSafeEqual` requires. */
const hashOf = (key: string): Buffer => createHash('sha256').update(key).digest()
