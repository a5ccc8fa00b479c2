import { createHash, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import { hashApiKey, isWellFormedKey, keyPrefixes, makeApiKey, printPrefix } from '../../shared/keys/api-key.ts'
import { shortText } from '../../shared/schemas/short-text.ts'
import { transaction } from '../../shared/store/database.ts'

export const roles = ['admin', 'member'] as const
export type Role = (typeof roles)[number]

export const NewKey = z.strictObject({
  name: shortText(100).describe('Name of the key in lists'),
  expiresAt: z
    .union([z.iso.date(), z.iso.datetime({ offset: true })], 'must be a date such as 2030-01-31 or 2030-01-31T12:00:00Z')
    .transform((text) => new Date(text))
    .optional()
    .describe('When the key expires; a date without a time means 00:00 UTC'),
})
export type NewKey = z.infer<typeof NewKey>

/** The user of a key is null if the key belongs to the install. */
export type KeyHolder = { id: string; role: Role; name: string; userId: string | null; username: string | null }
/** Selects the keys of a user, or one key of the install and the keys that were created with it. */
export type KeyOwner = { userId: string } | { keyId: string }
type CreatedKey = { id: string; name: string; prefix: string; key: string }
export type ListedKey = KeyHolder & {
  prefix: string
  createdAt: string
  expiresAt: string | null
  lastUsedAt: string | null
}

export type KeyStore = {
  /** Returns the key, which is never shown again. A key has the rights of its user. A key created with another key ends with that key. */
  create(input: NewKey & { role: Role; userId?: string | null; madeBy?: string | null }): CreatedKey
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
    'INSERT INTO keys (id, name, prefix, hash, role, created_at, expires_at, user_id, made_by) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
  )
  const byHash = db.prepare(`${select} WHERE hash = ? AND coalesce(banned, 0) = 0`)
  const all = db.prepare(`${select} ORDER BY keys.created_at, keys.rowid`)
  const ofUser = db.prepare(`${select} WHERE user_id = ? ORDER BY keys.created_at, keys.rowid`)
  const ofKey = db.prepare(`${select} WHERE user_id IS NULL AND ? IN (keys.id, made_by) ORDER BY keys.created_at, keys.rowid`)
  const touch = db.prepare('UPDATE keys SET last_used_at = ? WHERE id = ?')
  const remove = db.prepare('DELETE FROM keys WHERE id = ?')
  return {
    create({ name, role, expiresAt, userId = null, madeBy = null }) {
      const key = makeApiKey(keyPrefixes.onprem)
      const created = { id: randomUUID(), name, prefix: printPrefix(key), key }
      const [from, to] = [now().toISOString(), expiresAt?.toISOString() ?? null]
      transaction(db, () => insert.run(created.id, name, created.prefix, hashApiKey(key), role, from, to, userId, madeBy))
      return created
    },
    find(key) {
      if (!isWellFormedKey(key)) return undefined
      const storedKey = byHash.get(hashApiKey(key)) as ListedKey | undefined
      const time = now()
      if (storedKey === undefined || (storedKey.expiresAt !== null && new Date(storedKey.expiresAt) <= time)) return undefined
      if (storedKey.lastUsedAt === null || time.getTime() - Date.parse(storedKey.lastUsedAt) >= touchEveryMs) {
        ignoreFailure(() => touch.run(time.toISOString(), storedKey.id))
      }
      const { id, role, name, userId, username } = storedKey
      return { id, role, name, userId, username }
    },
    list(owner) {
      const rows = owner === undefined ? all.all() : 'userId' in owner ? ofUser.all(owner.userId) : ofKey.all(owner.keyId)
      return (rows as ListedKey[]).map((row) => ({ ...row }))
    },
    revoke: (id) => remove.run(id).changes > 0,
  }
}

/** A key has the current role of its user. */
const select = `SELECT keys.id, keys.name, prefix, coalesce(users.role, keys.role) AS role, user_id AS userId, username,
  keys.created_at AS createdAt, expires_at AS expiresAt, last_used_at AS lastUsedAt
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
